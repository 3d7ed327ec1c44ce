// The commands of notifications.
import { onProject } from '../../command.ts'

export const notificationsCommands = onProject('Settings', {
  notifications: {
    summary: 'List where notifications go',
    options: ['org', 'json'],
    isList: true,
    details: 'With --org: the targets of an organization, which get the notifications of all its projects.',
    load: async () => (await import('./notifications.ts')).listTargets,
  },
  'notifications add': {
    summary: 'Notify a URL or an email address',
    args: ['<url-or-email>'],
    options: ['org', 'events', 'logs', 'json'],
    details:
      'Without --events, every failure is sent: deploy.failed, build.failed, certificate.failed, cron.failed and app.crashing. One more is deploy.succeeded.',
    load: async () => (await import('./notifications.ts')).addTarget,
  },
  'notifications edit': {
    summary: 'Change the events or the address of a target',
    args: ['<id>'],
    options: ['org', 'to', 'events', 'logs', 'json'],
    aliases: ['update'],
    details:
      'What you leave out stays as it is: svc notifications edit <id> --events cron.failed,app.crashing',
    load: async () => (await import('./notifications.ts')).editTarget,
  },
  'notifications rm': {
    summary: 'Send no more notifications to a target',
    args: ['<id>'],
    options: ['org'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./notifications.ts')).removeTarget,
    candidates: async () => (await import('../candidates.ts')).targetCandidates,
  },
  'notifications test': {
    summary: 'Send a test notification to a target',
    args: ['<id>'],
    options: ['org', 'json'],
    load: async () => (await import('./notifications.ts')).testTarget,
    candidates: async () => (await import('../candidates.ts')).targetCandidates,
  },
  'notifications log': {
    summary: 'Show what was sent to a target',
    args: ['<id>'],
    options: ['org', 'json'],
    load: async () => (await import('./notifications.ts')).showLog,
    candidates: async () => (await import('../candidates.ts')).targetCandidates,
  },
  'notifications resend': {
    summary: 'Send a notification of the log again',
    args: ['<id>', '<delivery-id>'],
    options: ['org'],
    load: async () => (await import('./notifications.ts')).resend,
  },
})
