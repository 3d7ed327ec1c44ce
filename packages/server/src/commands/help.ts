// The help texts of svcd: one overview, and a page for each command.

interface Page {
  /** Each form of the command with what it does. */
  forms: readonly (readonly [usage: string, summary: string])[]
  /** What the page says beyond the overview. */
  details: string
}

const pages = {
  start: {
    forms: [['start [--role <roles>] [--listen]', 'run the platform (default: all roles)']],
    details: `Roles, with commas between: api, edge, runner, builder, worker. The api and edge roles listen on
SVCD_HOST:SVCD_PORT (127.0.0.1:8080). With --listen the others do so, too: for /health, and to pass
requests on to other nodes. The first start creates the directory SVCD_DATA_DIR (./data).`,
  },
  install: {
    forms: [['install', 'make this machine a server: user, settings, systemd unit; run again to repair']],
    details: `Options:
  --domain <name>     the domain of the platform, such as example.com
  --email <address>   told to the certificate authority
  --data-dir <path>   where everything is stored (/var/lib/svcd)

It asks on a terminal for what is missing. It needs root, and Linux with systemd. The settings are in /etc/svcd.env.`,
  },
  upgrade: {
    forms: [['upgrade <release>', 'install a release while svcd runs; it goes back by itself if that fails']],
    details: `The release is a file (svcd-<version>.tgz, with SHA256SUMS beside it), its URL, or a version of SVCD_RELEASES_URL.
No request fails. Before a migration the SQLite database is copied. If the new version does not become healthy within
SVCD_REPLACE_SECONDS, the version before it runs again, with the database that it had.`,
  },
  uninstall: {
    forms: [['uninstall', 'stop the service and remove its unit; the data and the settings stay']],
    details: 'It needs root.',
  },
  users: {
    forms: [
      ['users create <login>', 'create an account; --token prints a fresh cli token'],
      ['users list', 'list the accounts'],
      [
        'users passwd <login>',
        'set a password and end the sessions of the old one; without --password make one up and print it',
      ],
      ['users reset-2fa <login>', 'remove the authenticator app and the passkeys of an account'],
      ['users disable <login>', 'stop its sign-ins, sessions and tokens; its sites stay online'],
      ['users enable <login>', 'let a disabled account sign in again'],
      [
        'users limits <login|org>',
        'show what an account or an org may use and uses; --set gives it limits of its own',
      ],
      ['users suspend <login>', 'take its sites offline, with --reason and --status; it can sign in'],
      ['users resume <login>', 'bring the sites of a suspended account back'],
      [
        'users rm <login>',
        'delete the account with everything it owns, after SVCD_ACCOUNT_GRACE_DAYS; --now: at once',
      ],
      ['users keep <login>', 'keep an account that waits for its deletion'],
      ['users make-admin <login>', 'make the account an admin of the platform'],
      ['users remove-admin <login>', 'take that away; one admin always stays'],
    ],
    details: `Options:
  --password -    ask for the password, or read it from a pipe; 10 to 128 characters
  --revoke-tokens with passwd: also revoke the account's tokens
  --set <l>=<n>   (limits) such as projects=5, stored_bytes=10GB, build_minutes=none, orgs=default
  --reason <text> (suspend) what visitors of its sites read
  --status <n>    (suspend) 503, or 451 for legal reasons
  --now           (rm) without the grace time: there is no way back
  --email <e>     (create) the email address of the account
  --admin         (create) make the account an admin; the first account always is
  --token         (create) print a fresh cli token, alone, on stdout

An account that is created without --password cannot sign in to the dashboard until 'svcd users passwd' sets one.`,
  },
  projects: {
    forms: [
      ['projects suspend <name>', 'take its sites offline, with --reason and --status'],
      ['projects resume <name>', 'bring the sites of a suspended project back'],
    ],
    details: `Options of suspend:
  --reason <text> what visitors and the owner read
  --status <n>    what visitors get: 503, or 451 for legal reasons

Nothing is deleted. Deploys, builds, scheduled jobs and AI calls are refused until the project is resumed.`,
  },
  export: {
    forms: [['export project <name>', 'write one project to a file, to move it to another platform']],
    details: `Options:
  --from <file>    take it from a backup that svcd backup wrote
  --at <time>      take it from a backup at SVCD_BACKUP_URL: a time, the id of a backup, or latest
  --identity <f>   the private key of age, if only that opens the backup; - reads it from stdin

The file is <name>.tar, or the one that you name behind the project. It has the deployments with their files, which
of them is live, settings, variables, custom domains, forms and scheduled jobs. The variables are in clear, because
another platform has other keys: keep it private. Deployments of Dockerfiles are left out.`,
  },
  import: {
    forms: [['import project <file>', 'add a project that svcd export project wrote']],
    details: `Options:
  --owner <name>   the account or org that gets it; default: the one of the same name
  --name <name>    another name for the project

Deployments get new ids, so their permanent URLs change. Nothing is changed if the file is not whole.`,
  },
  audit: {
    forms: [
      ['audit export', 'write the audit log of all projects, orgs and accounts as JSON lines to stdout'],
    ],
    details: `Options:
  --since <time>  only entries from this time on: a UTC day such as 2026-01-01, or a timestamp

Newest first. Each line is one entry, with its id.`,
  },
  invoices: {
    forms: [['invoices export', 'write all invoices and credit notes as CSV to stdout']],
    details: `Options, days of UTC:
  --from <day>    the first day, such as 2026-01-01
  --to <day>      the last day

The list holds the invoices of deleted accounts and orgs, too.`,
  },
  nodes: {
    forms: [
      ['nodes list', 'list the nodes that share the database'],
      ['nodes invite', 'make a code with which another machine gets the settings and the key'],
    ],
    details: 'The code works once, for 15 minutes.',
  },
  join: {
    forms: [['join <url> <code>', 'get the settings and the key of a platform, with a code of another node']],
    details: `Options:
  --config <file>   where to write them (svcd.env); start with SVCD_CONFIG=<file>

The URL is that of the API. It begins with https, unless it is on this machine.`,
  },
  keys: {
    forms: [
      ['keys list', 'show the keys that seal values, and how many each has sealed'],
      ['keys rotate', 'make a new key and seal every value with it'],
      ['keys adopt', 'after the key was lost: go on with the key that is here'],
    ],
    details: 'A rotation that was cut off can be run again.',
  },
  migrate: {
    forms: [['migrate', 'bring the database to the newest schema']],
    details: "'svcd start' does this by itself.",
  },
  config: {
    forms: [
      ['config [--sources]', 'print the settings in effect, and where each comes from'],
      ['config unset <name>', 'take back what the dashboard changed, such as SVCD_PLATFORM_DOMAIN'],
    ],
    details: `The environment wins over the file, and both over the dashboard. With --sources,
comments say which. The output can be the file that SVCD_CONFIG names. Secrets are not printed; their
lines are comments, such as
# SVCD_SMTP_URL=[secret]`,
  },
  backup: {
    forms: [
      ['backup <file>', 'write the whole platform to a file, also while it runs'],
      ['backup run', 'add a backup to SVCD_BACKUP_URL, encrypted; only what is new is sent'],
      ['backup list', 'list the backups at SVCD_BACKUP_URL'],
      ['backup verify [backup]', 'restore a backup aside and say what of it is damaged'],
    ],
    details: `The file is a tar archive of the database, deployments, repositories and keys. It holds secrets: keep it private.
The logs of server apps and the caches of builds are left out, also of the backups at SVCD_BACKUP_URL. Those are
encrypted with SVCD_BACKUP_PASSPHRASE, or for the public key SVCD_BACKUP_RECIPIENT. SVCD_BACKUP_KEEP says which of
them stay.

  --identity <f>   verify: the file of the private key (age), to check what is in the backup; - reads it from stdin`,
  },
  restore: {
    forms: [
      ['restore <file>', 'make a platform of a backup'],
      ['restore --at <time>', 'the same from SVCD_BACKUP_URL: a time, the id of a backup, or latest'],
    ],
    details: `With a time such as 2026-01-31T12:00:00Z, the last backup before it is restored. Backups for a public key need
--identity <file of the private key>; - reads it from stdin.
SVCD_DATA_DIR must name a directory without a platform. With SVCD_DATABASE_URL the database must be empty, with
SVCD_STORAGE_URL the bucket or the path in it. The backup may come from a platform on another database or storage.`,
  },
  db: {
    forms: [['db restore <project>', 'bring its database back as it was at a time, from the archive (--at)']],
    details: `Options:
  --at <time>     such as 2026-01-31T12:00:00Z
  --to <file>     write a dump there, and leave the database as it is

It needs SVCD_APPS_POSTGRES_ARCHIVE. The databases are recovered aside, and nothing is changed until that is complete. What the
database held before is kept for 7 days: 'svc db undelete' brings it back.`,
  },
  doctor: {
    forms: [['doctor', 'check every dependency and say what is wrong']],
    details: 'The exit code is 1 when a check fails.',
  },
} as const satisfies Record<string, Page>

export type CommandName = keyof typeof pages

const settingsHint =
  'Settings are environment variables (SVCD_PORT, SVCD_DATA_DIR, …) or a file of them named by SVCD_CONFIG. Without these, commands use /etc/svcd.env if it exists.'

const rows = (page: Page): string =>
  page.forms.map(([usage, summary]) => `  ${usage.padEnd(26)}${summary}\n`).join('')

export const overview = (): string =>
  `svcd: the deploy platform\n\nUsage: svcd <command>\n\n${Object.values(pages).map(rows).join('')}
'svcd <command> --help' tells more about a command.
${settingsHint}\n`

export function pageOf(name: CommandName): string {
  const page: Page = pages[name]
  const usage = page.forms.map(([form]) => `svcd ${form}`).join('\n       ')
  return `Usage: ${usage}\n\n${rows(page)}\n${page.details}\n\n${settingsHint}\n`
}

/** Whether the command line asks for help. Then svcd does nothing else. Words after `--` are arguments. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  return options.includes('--help') || options.includes('-h') || args[0] === 'help'
}
