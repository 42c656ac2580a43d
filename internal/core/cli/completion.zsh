# What may stand on the command line is known by the tool itself: this asks it.
_sess_complete() {
	local line value shell='' word=$PREFIX
	local -a typed values shown open opened
	for value in "${(@)words[2,CURRENT-1]}"; do
		if [[ $value =~ '^"?\$\{?([A-Za-z_][A-Za-z_0-9]*)\}?"?$' ]]; then # "$S" is a session as well
			typed+=("${(P)match[1]}")
		else
			typed+=("${(Q)value}")
		fi
	done
	for line in "${(@f)$(command ${service} --complete zsh -- "${(@)typed}" "${(Q)word}" 2>/dev/null)}"; do
		value=${line%%$'\t'*}
		if [[ -z $value ]]; then
			shell=${line#?}
		elif [[ $value == *[:=,] ]]; then
			open+=("$value") opened+=("${line/$'\t'/  -- }")
		else
			values+=("$value") shown+=("${line/$'\t'/  -- }")
		fi
	done
	local -a lines
	[[ "$shown$opened" == *'  -- '* ]] && lines=(-l)
	local found=1
	(($#values)) && compadd -U -V sess $lines -d shown -a values && found=0
	(($#open)) && compadd -U -V sess $lines -S '' -d opened -a open && found=0
	case $shell in
	files) [[ $word == --*=* ]] && compset -P 1 '*='; _files && found=0 ;;
	directories) [[ $word == --*=* ]] && compset -P 1 '*='; _files -/ && found=0 ;;
	commands) _command_names -e && found=0 ;;
	esac
	return found
}
