// The commands of scheduled jobs.
import { onProject } from '../../command.ts'

export const cronsCommands = onProject('Settings', {
  cron: { summary: 'Scheduled jobs of the site' },
  'cron list': {
    summary: 'List scheduled jobs',
    options: ['json'],
    aliases: ['ls'],
    details: 'Shown are id, schedule, path, method, state, and the last run (UTC) with its status.',
    load: async () => (await import('./cron.ts')).listCrons,
  },
  'cron add': {
    summary: 'Request a path of the site by a schedule',
    args: ['<schedule>', '<path>'],
    options: ['method'],
    details:
      'The schedule has five fields, in UTC: minute, hour, day of the month, month, day of the week. Quote it: svc cron add "0 9 * * 1" /api/report',
    load: async () => (await import('./cron.ts')).addCron,
  },
  'cron update': {
    summary: 'Change the schedule, path or method of a job',
    args: ['<id>'],
    options: ['schedule', 'path', 'method'],
    aliases: ['edit'],
    details: 'What you leave out stays as it is: svc cron update <id> --schedule "0 9 * * 1-5"',
    load: async () => (await import('./cron.ts')).updateCron,
  },
  'cron rm': {
    summary: 'Delete a scheduled job',
    args: ['<id>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./cron.ts')).removeCron,
    candidates: async () => (await import('../candidates.ts')).cronCandidates,
  },
  'cron enable': {
    summary: 'Let a scheduled job run again',
    args: ['<id>'],
    load: async () => (await import('./cron.ts')).enableCron,
    candidates: async () => (await import('../candidates.ts')).cronCandidates,
  },
  'cron disable': {
    summary: 'Stop a scheduled job, and keep it',
    args: ['<id>'],
    load: async () => (await import('./cron.ts')).disableCron,
    candidates: async () => (await import('../candidates.ts')).cronCandidates,
  },
  'cron run': {
    summary: 'Run a scheduled job now',
    args: ['<id>'],
    options: ['json'],
    details: 'Waits for the answer of the site, for 60 seconds at most.',
    load: async () => (await import('./cron.ts')).runCron,
    candidates: async () => (await import('../candidates.ts')).cronCandidates,
  },
  'cron runs': {
    summary: 'Show the last 20 runs of a scheduled job',
    args: ['<id>'],
    options: ['json'],
    load: async () => (await import('./cron.ts')).listRuns,
    candidates: async () => (await import('../candidates.ts')).cronCandidates,
  },
  'cron secret': {
    summary: 'Print the secret that signs the requests',
    load: async () => (await import('./cron.ts')).showSecret,
  },
})
