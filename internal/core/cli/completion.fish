# What may stand on the command line is known by the tool itself: this asks it.
function __sess_ask
	set -g __sess_values
	set -g __sess_shell ''
	set -l words (commandline -opc)
	set -l typed (commandline -ct)
	set -l word (string unescape -- $typed)
	or set word $typed
	set -l tool (string replace -r '.*/' '' -- $words[1])
	for line in (command $tool --complete fish -- $words[2..-1] "$word" 2>/dev/null)
		switch $line
			case \t'*'
				set -g __sess_shell (string sub -s 2 -- $line)
			case '*'
				set -a __sess_values $line
		end
	end
	switch $__sess_shell
		case directories
			set -l flag (string match -r -- '^--[^=]*=' "$word")
			for path in (__fish_complete_directories (string replace -- "$flag" '' "$word") '')
				set -a __sess_values "$flag$path"
			end
		case commands
			set -a __sess_values (complete -C"$typed")
	end
	true
end

function __sess_complete
	__sess_ask
	set -q __sess_values[1]
	and printf '%s\n' $__sess_values
end

function __sess_files
	__sess_ask
	test "$__sess_shell" = files
end
