# What may stand on the command line is known by the tool itself: this asks it.
_sess_complete() {
	local rest=${COMP_LINE:0:COMP_POINT} words=() word gap skip line value shell= i
	local variable='^"?\$\{?([A-Za-z_][A-Za-z_0-9]*)\}?"?$'
	# COMP_WORDS is cut at the likes of : and = too. Here it is not.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		gap=${rest%%[![:space:]]*} word=${COMP_WORDS[i]}
		rest=${rest#"$gap"}
		[ "$i" -lt "$COMP_CWORD" ] || word=$rest
		rest=${rest#"$word"}
		if [ -z "$gap" ] && [ ${#words[@]} -gt 0 ]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
	done
	word=${words[${#words[@]} - 1]}
	skip=${word%"$2"}
	for i in "${!words[@]}"; do
		if [[ ${words[i]} =~ $variable ]]; then # "$S" is a session as well
			value=${BASH_REMATCH[1]}
			value=${!value-}
			words[i]=\'${value//\'/\'\\\'\'}\'
		fi
	done
	COMPREPLY=()
	local lines=() shown=()
	while IFS= read -r line; do
		value=${line%%$'\t'*}
		if [ -z "$value" ]; then
			shell=${line#?}
			continue
		fi
		case $word in
		[\'\"]*) # inside quotes a backslash quotes nothing
			case $value in *[\'\"\$\`\\!]*) continue ;; esac ;;
		*)
			value=${value#"$skip"}
			[ -z "$value" ] || printf -v value %q "$value" ;;
		esac
		COMPREPLY+=("$value")
		[ "$value" = "$line" ] || value="${line%%$'\t'*}  (${line#*$'\t'})"
		shown+=("$value")
	done <<<"$(command "${1##*/}" --complete bash -- "${words[@]:1}" 2>/dev/null)"
	# A list is only looked at: nothing of it is inserted but a single word.
	if [ "${COMP_TYPE:-9}" = 63 ] && [ ${#shown[@]} -gt 1 ]; then
		COMPREPLY=("${shown[@]}")
	fi
	case $shell in
	files)
		if [ ${#COMPREPLY[@]} -eq 0 ] && compopt -o default 2>/dev/null; then
			return
		fi
		value=
		[ "${COMP_TYPE:-9}" = 63 ] || compopt -o filenames 2>/dev/null || value=%q # bash 3.2 quotes nothing
		for line in "$2"*; do
			[ -e "$line" ] || [ -L "$line" ] || continue
			[ -z "$value" ] || printf -v line "$value" "$line"
			COMPREPLY+=("$line")
		done ;;
	directories)
		compopt -o dirnames 2>/dev/null || for line in "$2"*/; do
			[ ! -d "$line" ] || { printf -v line %q "$line" && COMPREPLY+=("$line"); }
		done ;;
	commands)
		while IFS= read -r line; do COMPREPLY+=("$line"); done <<<"$(compgen -c -- "$2")" ;;
	esac
	case ${#COMPREPLY[@]}${COMPREPLY[0]-} in
	1*[:=,]) compopt -o nospace 2>/dev/null ;;
	esac
}
