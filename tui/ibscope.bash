# Bash completion for ibscope.

# Words of a comma list: the last one is completed, those before it stay.
_ibscope_list()
{
	local cur=$1 before= word
	shift
	[[ $cur == *,* ]] && before=${cur%,*},
	COMPREPLY=()
	while read -r word; do
		[[ ",$before" == *",$word,"* ]] || COMPREPLY+=("$before$word")
	done < <(compgen -W "$*" -- "${cur##*,}")
	compopt -o nospace 2>/dev/null
}

_ibscope_files()
{
	local file
	compopt -o filenames 2>/dev/null
	while IFS= read -r file; do
		COMPREPLY+=("$file")
	done < <(compgen -f -- "$1")
}

_ibscope_fabric()
{
	local kinds="xgft: torus: mesh: hypercube: dragonfly: hyperx: ring: director: random: published:"
	kinds+=" regular: kautz: debruijn: slimfly: polarfly: cascade: tsubame:"
	local names="t2hx tsubame2 summit sierra narval deimos odin salomon gordon redsky superpod"
	local cur=$1

	if [[ $cur == published:* ]]; then
		COMPREPLY=($(compgen -P published: -W "$names" -- "${cur#published:}"))
	else
		_ibscope_files "$cur"
		if ((${#COMPREPLY[@]} == 0)); then
			COMPREPLY=($(compgen -W "$kinds" -- "$cur"))
			compopt +o filenames -o nospace 2>/dev/null
		elif [[ -z $cur ]]; then
			COMPREPLY+=($kinds)
			compopt -o nospace 2>/dev/null
		fi
	fi
}

# readline takes ':' for the end of a word: what stands before the last one goes from the replies.
_ibscope_colons()
{
	local i head=${1%"${1##*:}"}

	[[ $1 == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$head"}
	done
}

_ibscope_keymaps()
{
	local folder path
	local names="default vi emacs"

	for folder in "${XDG_CONFIG_HOME:-$HOME/.config}/ibscope" /usr/local/share/ibscope/keymaps \
		/usr/share/ibscope/keymaps; do
		for path in "$folder"/*.keys; do
			[[ -r $path ]] || continue
			path=${path##*/}
			[[ " $names " == *" ${path%.keys} "* ]] || names+=" ${path%.keys}"
		done
	done
	_ibscope_files "$1"
	COMPREPLY+=($(compgen -W "$names" -- "$1"))
}

_ibscope()
{
	local options="--live --live= --routing-engine --config --execute --script --keymap --node-name-map --no-node-name-map --rc --no-rc --json --no-text --no-timing --serve --read-only --status \
		--help --version -L -R -F -e -x -k -h -V"
	local line=${COMP_LINE:0:COMP_POINT} cur prev engines

	# words as the shell will see them: '=' and ':' do not end one
	cur=${line##*[[:blank:]]}
	prev=${line%"$cur"}
	read -ra prev <<<"$prev"
	prev=${prev[${#prev[@]} - 1]}
	COMPREPLY=()

	if [[ $cur == --*=* ]]; then
		prev=${cur%%=*}
		cur=${cur#*=}
	fi
	case $prev in
	-R | --routing-engine)
		engines=$("${COMP_WORDS[0]}" -e 'show engines' 2>/dev/null | sed -n 's/^\([a-zA-Z0-9-]\{1,\}\) .*/\1/p')
		_ibscope_list "$cur" $engines no_fallback
		;;
	-F | --config | --node-name-map)
		_ibscope_files "$cur"
		;;
	-x | --script)
		_ibscope_files "$cur"
		[[ -z $cur ]] && COMPREPLY+=(-)
		;;
	-k | --keymap)
		_ibscope_keymaps "$cur"
		;;
	-e | --execute)
		engines=$("${COMP_WORDS[0]}" -e help 2>/dev/null | sed -n 's/^  \([a-z-]*\).*/\1/p')
		COMPREPLY=($(compgen -W "$engines" -- "$cur"))
		;;
	--live)
		COMPREPLY=($(compgen -W "$(ls /sys/class/infiniband 2>/dev/null)" -- "$cur"))
		;;
	*)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "$options" -- "$cur"))
			[[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null
		else
			_ibscope_fabric "$cur"
		fi
		;;
	esac
	_ibscope_colons "$cur"
	return 0
}
complete -F _ibscope ibscope
