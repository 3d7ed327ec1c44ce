// The commands about svc itself.
import { inGroup } from '../../command.ts'

export const helpCommands = inGroup('Help', {
  help: {
    summary: 'Show this help, or the help of a command',
    args: ['[command...]'],
    builtIn: 'help',
  },
  version: { summary: 'Print the version', builtIn: 'version' },
})
