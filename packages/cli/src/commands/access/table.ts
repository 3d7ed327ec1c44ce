// The commands of a site's password.
import { onProject } from '../../command.ts'

export const passwordCommands = onProject('Settings', {
  password: {
    summary: 'Show whether the site asks for a password',
    options: ['json'],
    load: async () => (await import('./password.ts')).passwordStatus,
  },
  'password status': {
    summary: 'The same as svc password',
    options: ['json'],
    load: async () => (await import('./password.ts')).passwordStatus,
  },
  'password set': {
    summary: 'Ask visitors for a password',
    args: ['<password>'],
    details:
      'It has 4 to 128 characters; - reads it from stdin, where no one can see it. A new password locks out everyone who knew the old one.',
    load: async () => (await import('./password.ts')).setPassword,
  },
  'password rm': {
    summary: 'Make the site public',
    aliases: ['remove', 'delete'],
    load: async () => (await import('./password.ts')).removePassword,
  },
})
