#compdef ibscope
# zsh completion for ibscope: the program itself tells what may come next.
_ibscope()
{
	local program=${(Q)words[1]} line help
	local -a ended shown open open_shown
	[[ $program == '~/'* ]] && program=$HOME/${program:2}
	for line in ${(f)"$($program --complete "${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" "$PREFIX" 2>/dev/null)"}; do
		help=
		[[ $line == *$'\t'* ]] && help="  -- ${line#*$'\t'}"
		line=${line%%$'\t'*}
		if [[ $line == *[/=:[] ]]; then
			open+=("$line") open_shown+=("$line$help")
		else
			ended+=("$line") shown+=("$line$help")
		fi
	done
	compadd -U -Q -S '' -d open_shown -a open
	compadd -U -Q -d shown -a ended
}
# sourced, or found by its name and run
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_ibscope "$@"
else
	compdef _ibscope ibscope
fi
