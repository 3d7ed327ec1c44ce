// The commands of svc. Names with a space are subcommands; help shows them in this order.
import type { Command } from './command.ts'
import { orgCommands } from './commands/org/table.ts'

export const commands: Readonly<Record<string, Command>> = {
  login: {
    group: 'Account',
    summary: 'Log in through the browser',
    options: ['api-url'],
    details:
      'Shows a code to approve in the browser. The token is kept in credentials.json of the configuration directory, readable by you alone.',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: {
    group: 'Account',
    summary: 'Forget the stored token',
    load: async () => (await import('./commands/account.ts')).logout,
  },
  whoami: {
    group: 'Account',
    summary: 'Show who is logged in',
    options: ['json'],
    load: async () => (await import('./commands/account.ts')).whoami,
  },
  token: {
    group: 'Account',
    summary: 'Create a token for scripts or the AI gateway',
    args: ['<ai|cli>', '[label...]'],
    details:
      'A cli token lets scripts use this tool through SVC_TOKEN; an ai token works at the AI gateway only. The secret goes to stdout, alone, and is shown only once.',
    load: async () => (await import('./commands/token.ts')).createToken,
  },
  dashboard: {
    group: 'Account',
    summary: 'Open the web console, logged in',
    options: ['print-url'],
    load: async () => (await import('./commands/dashboard.ts')).dashboard,
  },
  init: {
    group: 'Projects',
    summary: 'Create a project and link this directory',
    args: ['[name]'],
    options: ['org'],
    details:
      'Without a name the directory gives it. The link is the file svc.json; commit it. A project of that name which you can already use is linked.',
    load: async () => (await import('./commands/init.ts')).init,
  },
  projects: {
    group: 'Projects',
    summary: "List your projects, or an organization's",
    options: ['org', 'json'],
    load: async () => (await import('./commands/projects.ts')).listProjects,
  },
  open: {
    group: 'Projects',
    summary: "Open the project's site in the browser",
    load: async () => (await import('./commands/dashboard.ts')).openSite,
  },
  stats: {
    group: 'Projects',
    summary: 'Show the traffic of the last hours',
    options: ['json'],
    details:
      'Requests and how many came from the cache, bandwidth, errors, a bar for each hour, and which hosts, paths and countries had most. The window is the last 24 hours, or --hours 1 to 72. [sampled] marks a busy window: its lists are cut, its totals are not. Times are UTC.',
    load: async () => (await import('./commands/stats.ts')).showStats,
  },
  audit: {
    group: 'Projects',
    summary: 'Show who changed what in the project',
    args: ['[count]'],
    options: ['json'],
    details: 'Newest first, with the address it came from. Times are UTC.',
    load: async () => (await import('./commands/audit.ts')).projectAudit,
  },
  rm: {
    group: 'Projects',
    summary: 'Delete a project and everything of it',
    args: ['<project>'],
    details:
      'Asks you to type its name; --yes skips that. Its site stops working at once, its name is free again, and nothing can bring it back. In an organization this needs the role admin.',
    load: async () => (await import('./commands/rm.ts')).removeProject,
  },
  deploy: {
    group: 'Deployments',
    summary: 'Upload a built directory and make it live',
    args: ['[dir]'],
    options: ['json', 'node-modules'],
    details:
      'The directory defaults to this one. Nothing is built: deploy the output of your build. Left out: .git, node_modules (unless --node-modules is given), symbolic links, and svc.json at the top. Limits: 10,000 files, 25 MB per file, 250 MB in all, 100 MB compressed.',
    load: async () => (await import('./commands/deploy.ts')).deploy,
  },
  deployments: {
    group: 'Deployments',
    summary: 'List recent deployments; * marks the live one',
    options: ['json'],
    details: 'Shows the 20 most recent: id, status, time (UTC), files and size.',
    load: async () => (await import('./commands/deployments.ts')).listDeployments,
  },
  'deployments rm': {
    group: 'Deployments',
    summary: 'Delete a deployment that is not live',
    args: ['<deployment-id>'],
    aliases: ['remove', 'delete'],
    details: 'Its files are gone for good, and it cannot be rolled back to.',
    load: async () => (await import('./commands/deployments.ts')).removeDeployment,
  },
  rollback: {
    group: 'Deployments',
    summary: 'Make an earlier deployment live again',
    args: ['<deployment-id>'],
    load: async () => (await import('./commands/deployments.ts')).rollback,
  },
  restart: {
    group: 'Deployments',
    summary: 'Restart the server app, without downtime',
    load: async () => (await import('./commands/restart.ts')).restart,
  },
  logs: {
    group: 'Deployments',
    summary: 'Show what the server app wrote',
    options: ['tail', 'follow', 'since', 'timestamps', 'json'],
    details:
      'The last lines of stdout and stderr; lines of earlier instances and deployments are among them. --follow goes on while the app is stopped, started or deployed anew, and misses nothing. Notices go to stderr. Static sites have no log.',
    load: async () => (await import('./commands/logs/show.ts')).logs,
  },
  revalidate: {
    group: 'Deployments',
    summary: 'Make the edge fetch pages of a server app anew',
    args: ['<path...>'],
    options: ['json'],
    details:
      'Each path is forgotten with all its query strings, on every edge at once. Up to 100 paths; static sites need none of this.',
    load: async () => (await import('./commands/revalidate.ts')).revalidate,
  },
  share: {
    group: 'Shares',
    summary: 'Share a built directory for some days',
    args: ['[dir]'],
    options: ['ttl', 'json'],
    details:
      'It needs no project and gets an address that cannot be guessed; search engines are told to stay away. When its time is over it stops working and its files are removed. The directory is packed as by deploy. A directory called ls or rm is written ./ls.',
    load: async () => (await import('./commands/share.ts')).share,
  },
  'share ls': {
    group: 'Shares',
    summary: 'List your shares with their last minute (UTC)',
    aliases: ['list'],
    options: ['json'],
    load: async () => (await import('./commands/share.ts')).listShares,
  },
  'share rm': {
    group: 'Shares',
    summary: 'Delete a share now',
    args: ['<name>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./commands/share.ts')).removeShare,
  },
  domains: {
    group: 'Settings',
    summary: 'List custom domains',
    options: ['json'],
    load: async () => (await import('./commands/domains.ts')).listDomains,
  },
  'domains add': {
    group: 'Settings',
    summary: 'Attach a domain, and show its DNS record',
    args: ['<domain>'],
    options: ['branch'],
    details:
      'It shows production, or with --branch the latest deployment of that branch: production until one lands. Adding a domain again changes nothing but the branch, where one is given.',
    load: async () => (await import('./commands/domains.ts')).addDomain,
  },
  'domains branch': {
    group: 'Settings',
    summary: 'Point a domain at a branch, or production',
    args: ['<domain>', '<branch>'],
    load: async () => (await import('./commands/domains.ts')).retargetDomain,
  },
  'domains cert': {
    group: 'Settings',
    summary: 'Show the certificate that a domain shows',
    args: ['<domain>'],
    options: ['json'],
    details: 'The platform connects to the domain as a visitor would, and tells what it saw.',
    load: async () => (await import('./commands/domains.ts')).showCertificate,
  },
  'domains remove': {
    group: 'Settings',
    summary: 'Detach a domain',
    args: ['<domain>'],
    aliases: ['rm', 'delete'],
    load: async () => (await import('./commands/domains.ts')).removeDomain,
  },
  env: {
    group: 'Settings',
    summary: 'List environment variables',
    options: ['json'],
    details:
      'Scopes other than runtime are marked [build] or [both]. Line breaks and control characters in values are escaped, and a terminal shows long values cut short; --json has them as they are.',
    load: async () => (await import('./commands/env.ts')).listEnv,
  },
  'env ls': {
    group: 'Settings',
    summary: 'The same as svc env',
    options: ['json'],
    aliases: ['list'],
    load: async () => (await import('./commands/env.ts')).listEnv,
  },
  'env set': {
    group: 'Settings',
    summary: 'Set variables; `KEY -` reads stdin',
    args: ['<KEY=value...>'],
    options: ['scope'],
    details:
      'Without --scope a variable keeps the scope it has; a new one gets runtime: it is there when the server starts. build is for git builds, both for both. What a shell keeps in its history is better read from stdin: svc env set KEY - < secret.txt',
    load: async () => (await import('./commands/env.ts')).setEnv,
  },
  'env import': {
    group: 'Settings',
    summary: 'Set all variables of a dotenv file (.env)',
    args: ['[file]'],
    options: ['scope'],
    details:
      'Knows comments, export, quotes and values over several lines; expands nothing. Left out, and named: PORT, HOSTNAME, NODE_ENV, and what Vercel and Netlify inject. A file that cannot be understood is refused as a whole.',
    load: async () => (await import('./commands/env.ts')).importEnv,
  },
  'env rm': {
    group: 'Settings',
    summary: 'Remove a variable',
    args: ['<KEY>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./commands/env.ts')).removeEnv,
  },
  cron: { group: 'Settings', summary: 'Scheduled jobs of the site' },
  'cron list': {
    group: 'Settings',
    summary: 'List scheduled jobs',
    options: ['json'],
    aliases: ['ls'],
    details: 'Shown are id, schedule, path, method, state, and the last run (UTC) with its status.',
    load: async () => (await import('./commands/cron.ts')).listCrons,
  },
  'cron add': {
    group: 'Settings',
    summary: 'Request a path of the site by a schedule',
    args: ['<schedule>', '<path>'],
    options: ['method'],
    details:
      'The schedule has five fields, in UTC: minute, hour, day of the month, month, day of the week. Quote it: svc cron add "0 9 * * 1" /api/report',
    load: async () => (await import('./commands/cron.ts')).addCron,
  },
  'cron rm': {
    group: 'Settings',
    summary: 'Delete a scheduled job',
    args: ['<id>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./commands/cron.ts')).removeCron,
  },
  'cron enable': {
    group: 'Settings',
    summary: 'Let a scheduled job run again',
    args: ['<id>'],
    load: async () => (await import('./commands/cron.ts')).enableCron,
  },
  'cron disable': {
    group: 'Settings',
    summary: 'Stop a scheduled job, and keep it',
    args: ['<id>'],
    load: async () => (await import('./commands/cron.ts')).disableCron,
  },
  'cron run': {
    group: 'Settings',
    summary: 'Run a scheduled job now',
    args: ['<id>'],
    options: ['json'],
    details: 'Waits for the answer of the site, for 60 seconds at most.',
    load: async () => (await import('./commands/cron.ts')).runCron,
  },
  'cron runs': {
    group: 'Settings',
    summary: 'Show the last 20 runs of a scheduled job',
    args: ['<id>'],
    options: ['json'],
    load: async () => (await import('./commands/cron.ts')).listRuns,
  },
  'cron secret': {
    group: 'Settings',
    summary: 'Print the secret that signs the requests',
    load: async () => (await import('./commands/cron.ts')).showSecret,
  },
  forms: {
    group: 'Settings',
    summary: 'List forms that have received submissions',
    options: ['json'],
    details:
      'A form exists from its first submission: it is posted to /_svc/forms/<name> on the site. Shown are its submissions, the last one (UTC), who is told, and how long they are kept.',
    load: async () => (await import('./commands/forms.ts')).listForms,
  },
  'forms ls': {
    group: 'Settings',
    summary: 'The same as svc forms',
    options: ['json'],
    aliases: ['list'],
    load: async () => (await import('./commands/forms.ts')).listForms,
  },
  'forms submissions': {
    group: 'Settings',
    summary: 'Show what was sent to a form, newest first',
    args: ['<form>', '[count]'],
    options: ['json'],
    aliases: ['show'],
    details: 'The last 20, or as many as you say. Times are UTC.',
    load: async () => (await import('./commands/forms.ts')).showSubmissions,
  },
  'forms export': {
    group: 'Settings',
    summary: 'Write all submissions as CSV to stdout',
    args: ['<form>'],
    load: async () => (await import('./commands/forms.ts')).exportForm,
  },
  'forms notify': {
    group: 'Settings',
    summary: 'Send an email for each submission, or stop',
    args: ['<form>', '<on|off|email>'],
    details: "on tells the project's owner, or the owners of its organization; an address tells that one.",
    load: async () => (await import('./commands/forms.ts')).setNotify,
  },
  'forms retention': {
    group: 'Settings',
    summary: 'Delete submissions after some days',
    args: ['<form>', '<days|off>'],
    details: '1 to 3650 days; off keeps them.',
    load: async () => (await import('./commands/forms.ts')).setRetention,
  },
  'forms rm': {
    group: 'Settings',
    summary: 'Delete a form, or one of its submissions',
    args: ['<form>', '[submission-id]'],
    aliases: ['remove', 'delete'],
    details: 'Without a submission the form goes with all of them, for good.',
    load: async () => (await import('./commands/forms.ts')).removeForm,
  },
  password: {
    group: 'Settings',
    summary: 'Show whether the site asks for a password',
    options: ['json'],
    load: async () => (await import('./commands/password.ts')).passwordStatus,
  },
  'password status': {
    group: 'Settings',
    summary: 'The same as svc password',
    options: ['json'],
    load: async () => (await import('./commands/password.ts')).passwordStatus,
  },
  'password set': {
    group: 'Settings',
    summary: 'Ask visitors for a password',
    args: ['<password>'],
    details:
      'It has 4 to 128 characters; - reads it from stdin, where no one can see it. A new password locks out everyone who knew the old one.',
    load: async () => (await import('./commands/password.ts')).setPassword,
  },
  'password rm': {
    group: 'Settings',
    summary: 'Make the site public',
    aliases: ['remove', 'delete'],
    load: async () => (await import('./commands/password.ts')).removePassword,
  },
  ...orgCommands,
}

export interface Found {
  name: string
  command: Command
  /** What is left of the words that named it. */
  args: string[]
}

/** Finds the command that the first words name, the longest name first. */
export function findCommand(words: string[]): Found | undefined {
  for (const [name, command] of Object.entries(commands)) {
    const [first, second] = name.split(' ')
    if (second && words[0] === first && [second, ...(command.aliases ?? [])].includes(words[1] ?? ''))
      return { name, command, args: words.slice(2) }
  }
  const name = words[0] ?? ''
  const command = Object.hasOwn(commands, name) && !name.includes(' ') ? commands[name] : undefined
  return command && { name, command, args: words.slice(1) }
}

/** The names of a command's subcommands, e.g. `deployments rm`. */
export function subcommands(name: string): string[] {
  return Object.keys(commands).filter(other => other.startsWith(`${name} `))
}
