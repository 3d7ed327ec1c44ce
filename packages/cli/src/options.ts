// All options of svc. Each command names those that it takes. Every command takes the global ones.
import type { Forge } from '@svc/contract'
import { Failure } from './failure.ts'

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  /** The placeholder for the value in help texts. */
  value?: string
  summary: string
  global?: boolean
  /** The values that it may have, for completion. */
  choices?: readonly string[]
}

export const options = {
  project: {
    type: 'string',
    value: '<name>',
    summary: 'Act on this project, not the linked one',
    global: true,
  },
  hours: { type: 'string', value: '<n>', summary: 'Window of stats, 1 to 72 (default 24)', global: true },
  range: {
    type: 'string',
    value: '<range>',
    summary: 'How far to look back: 1h, 24h, 7d or 30d (default 1h)',
    choices: ['1h', '24h', '7d', '30d'],
  },
  yes: { type: 'boolean', summary: 'Answer yes to every question', global: true },
  version: { type: 'boolean', short: 'v', summary: 'Print the version', global: true },
  help: { type: 'boolean', short: 'h', summary: 'Print help; also after a command', global: true },
  json: { type: 'boolean', summary: "Print the API's answer as JSON" },
  ttl: { type: 'string', value: '<days>', summary: 'How long the share lives, 1 to 30 days (default 7)' },
  org: { type: 'string', value: '<name>', summary: 'The organization, not your own account' },
  scope: {
    type: 'string',
    value: '<scope>',
    summary: 'Where it is set: runtime, build or both',
    choices: ['runtime', 'build', 'both'],
  },
  logs: {
    type: 'string',
    value: '<on|off>',
    summary: 'Whether a webhook gets the last lines of an app that failed',
  },
  environment: {
    type: 'string',
    value: '<environment>',
    summary: 'Only this environment: production or preview',
    choices: ['production', 'preview'],
  },
  secret: { type: 'boolean', summary: 'Nobody can read the value again' },
  events: { type: 'string', value: '<list>', summary: 'Events, with commas (default: every failure)' },
  to: { type: 'string', value: '<url-or-email>', summary: 'Where notifications go from now on' },
  'display-name': { type: 'string', value: '<text>', summary: 'How the organization is shown' },
  role: {
    type: 'string',
    value: '<role>',
    summary: 'member (default) or admin',
    choices: ['member', 'admin'],
  },
  branch: { type: 'string', value: '<branch>', summary: 'The git branch' },
  commit: { type: 'string', value: '<sha>', summary: 'The commit to build; 7 digits or more' },
  status: {
    type: 'string',
    value: '<status>',
    summary: 'live, superseded, branch, failed or uploading',
    choices: ['live', 'superseded', 'branch', 'failed', 'uploading'],
  },
  limit: { type: 'string', value: '<n>', summary: 'How many at most (default 20)' },
  build: { type: 'boolean', summary: 'Build first, then deploy what the build made' },
  'build-cmd': { type: 'string', value: '<command>', summary: 'What builds the site (default: detected)' },
  'install-cmd': {
    type: 'string',
    value: '<command>',
    summary: 'What installs packages (default: detected)',
  },
  output: {
    type: 'string',
    value: '<folder>',
    summary: 'The folder that the build makes (default: detected)',
  },
  root: { type: 'string', value: '<folder>', summary: 'The folder of a monorepo that is built' },
  forge: {
    type: 'string',
    value: '<forge>',
    summary: 'The git host: github or builtin. For a URL: gitlab or gitea',
    choices: ['github', 'builtin', 'gitlab', 'gitea'],
  },
  previews: { type: 'boolean', summary: 'Of the previews, not of the site' },
  'no-previews': { type: 'boolean', summary: 'Build the production branch alone' },
  token: {
    type: 'string',
    value: '<token>',
    summary: 'Token of the other platform, or of the git host (- reads that from stdin)',
  },
  'dry-run': { type: 'boolean', summary: 'Report and plan only; change nothing' },
  method: {
    type: 'string',
    value: '<m>',
    summary: 'The HTTP method (default GET)',
    choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'],
  },
  path: { type: 'string', value: '<path>', summary: 'The path of the site that is requested' },
  size: { type: 'string', value: '<size>', summary: 'What it may hold, as in 10GB (default 1GB)' },
  schedule: { type: 'string', value: '<schedule>', summary: 'Five fields in UTC, quoted: "0 9 * * 1"' },
  'api-url': {
    type: 'string',
    value: '<url>',
    summary: 'Platform to log in to; it is remembered',
  },
  tail: { type: 'string', value: '<n>', summary: 'How many lines, 1 to 5000 (default 200)' },
  requests: { type: 'boolean', summary: 'Show the latest requests to the site' },
  host: { type: 'string', value: '<host>', summary: 'Only requests to this host' },
  request: { type: 'string', value: '<id>', summary: 'Only what belongs to this request' },
  follow: { type: 'boolean', short: 'f', summary: 'Go on showing lines as they come, until Ctrl-C' },
  since: { type: 'string', value: '<time>', summary: 'Only newer lines: 90s, 15m, 2h, 1d, or a timestamp' },
  level: {
    type: 'string',
    value: '<level>',
    summary: 'Only lines as serious as this: debug, info, warn or error',
    choices: ['debug', 'info', 'warn', 'error'],
  },
  search: { type: 'string', value: '<text>', summary: 'Only lines with this text' },
  deployment: { type: 'string', value: '<id>', summary: 'Only those of this deployment' },
  timestamps: { type: 'boolean', summary: 'Show the time of each line (UTC)' },
  'node-modules': { type: 'boolean', summary: 'Upload node_modules too, for servers that need it' },
  expires: {
    type: 'string',
    value: '<time>',
    summary: 'When the token expires: 12h, 90d, 1y or a date (default: never)',
  },
  export: { type: 'boolean', summary: 'Write all of it as JSON lines to stdout' },
  unread: { type: 'boolean', summary: 'Only those that nobody has read' },
  spam: { type: 'boolean', summary: 'Only those that were marked as spam' },
  'keep-production': {
    type: 'string',
    value: '<n>',
    summary: 'Keep this many former production deployments, or: all',
  },
  'keep-previews': { type: 'string', value: '<days>', summary: 'Keep previews for so many days, or: all' },
  template: { type: 'string', value: '<name>', summary: 'Begin with the files of a template, such as html' },
  show: { type: 'boolean', summary: 'Show whole values on a terminal, too' },
  schema: { type: 'string', value: '<schema>', summary: 'The schema of the table (default public)' },
  skip: { type: 'string', value: '<n>', summary: 'How many rows to leave out at the beginning' },
  mask: { type: 'string', value: '<file>', summary: 'SQL that runs in each copy before anyone sees it' },
  shared: { type: 'boolean', summary: 'The app can have two instances on it at a time' },
  unshared: { type: 'boolean', summary: 'One instance has it at a time (default)' },
  unmasked: { type: 'boolean', summary: 'No SQL runs in copies any more' },
  temporary: { type: 'boolean', summary: 'A URL that works while the command runs' },
  print: { type: 'boolean', summary: 'Print the URL, open nothing' },
  'print-url': { type: 'boolean', summary: 'Print the URL with your token in it' },
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof options

export type OptionValues = {
  [N in OptionName]?: (typeof options)[N]['type'] extends 'string' ? string : boolean
}

export const optionNames = Object.keys(options) as OptionName[]

export const option = (name: OptionName): Option => options[name]

/** The value of --forge. `undefined` if the option was not given. */
export function forgeOf(value: string | undefined): Forge | undefined {
  const { choices } = options.forge
  if (value === undefined) return undefined
  const forge = choices.find(choice => choice === value)
  if (forge) return forge
  throw new Failure(`--forge must be github, builtin, gitlab or gitea, not '${value}'.`)
}
