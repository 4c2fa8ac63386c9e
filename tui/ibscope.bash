# bash completion for ibscope: the program itself tells what may come next.
_ibscope()
{
	local program=$1 word
	# shellcheck disable=SC2088
	[[ $program == "~/"* ]] && program=$HOME/${program:2}
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("${word%%$'\t'*}")
	done < <("$program" --complete "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
	[[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *[/=:[] ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _ibscope ibscope
