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
    options: ['previews'],
    details:
      'With --previews, it is a password of the previews alone: branches, permanent URLs and domains that track a branch. It has 4 to 128 characters; - reads it from stdin, where no one can see it. A new password locks out everyone who knew the old one.',
    load: async () => (await import('./password.ts')).setPassword,
  },
  'password rm': {
    summary: 'Make the site public',
    aliases: ['remove', 'delete'],
    options: ['previews'],
    details: 'With --previews, whoever may see the site may see its previews.',
    load: async () => (await import('./password.ts')).removePassword,
  },
  'password members': {
    summary: 'Let only members of the org see the site',
    options: ['previews'],
    details:
      'For projects that an org owns. With --previews, it is for the previews alone. Visitors sign in at the dashboard. A former password is deleted.',
    load: async () => (await import('./password.ts')).membersOnly,
  },
})
