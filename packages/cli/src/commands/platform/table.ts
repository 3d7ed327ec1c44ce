// The commands about svc itself.
import { inGroup } from '../../command.ts'

export const helpCommands = inGroup('Help', {
  help: {
    summary: 'Show this help, or the help of a command',
    args: ['[command...]'],
    details: "'svc help all' lists every command with what it does, and the variables that svc reads.",
    builtIn: 'help',
  },
  completion: {
    summary: 'Print the completion script of your shell',
    args: ['[bash|zsh|fish]'],
    details:
      'It completes commands, options and the names of your projects. Load it when the shell starts. In ~/.bashrc: eval "$(svc completion bash)". In ~/.zshrc: eval "$(svc completion zsh)". In ~/.config/fish/config.fish: svc completion fish | source',
    load: async () => (await import('./completion.ts')).printCompletion,
  },
  version: { summary: 'Print the version', builtIn: 'version' },
})
