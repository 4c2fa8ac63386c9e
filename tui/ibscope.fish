# fish completion for ibscope: the program itself tells what may come next.
function __ibscope_complete
	set -l program (commandline -opc | string replace -r '^~/' "$HOME/")
	$program[1] --complete (commandline -cp | string collect) 2>/dev/null
end
complete -c ibscope -f -a '(__ibscope_complete)'
