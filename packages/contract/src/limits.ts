// The limits of the platform, shared by server, CLI and dashboard. KB and MB are powers of 1024.
const KB = 1024
const MB = 1024 * KB

export const limits = {
  tarballBytes: 100 * MB,
  fileBytes: 25 * MB,
  extractedBytes: 250 * MB,
  files: 10_000,
  /** The number of symbolic links of a server app, and the size of the file that lists them. */
  links: 10_000,
  linksBytes: 4 * MB,
  /** The size of the list of files that an upload leaves out because the platform has them. */
  unchangedBytes: 8 * MB,
  jsonBodyBytes: 1 * MB,
  iconBytes: 512 * KB,
  tokenLabel: 200,
  email: 254,
  accountPassword: { min: 10, max: 128 },
  /** Passkeys of an account. */
  passkeys: 20,
  passkeyName: 100,
  sitePassword: { min: 4, max: 128 },
  revalidatePaths: 100,
  /** What a command that is run in an instance may say, take and write. */
  runArguments: 200,
  runCommandBytes: 32 * KB,
  runMinutes: 30,
  runOutputBytes: 10 * MB,
  /** The same of a command that its caller attends, which waits for slow readers. */
  attendedOutputBytes: 1024 * MB,
  /** A command on a terminal may last so long, and be silent for so long. */
  terminalHours: 8,
  terminalIdleMinutes: 30,
  /** The longest line that its client may send. */
  attendedLineBytes: 256 * KB,
  /** How long a dump may take to be restored, with its upload. */
  loadMinutes: 60,
  /** Connections to the database of a project from outside, and how long one may be silent and last. */
  tunnels: 5,
  tunnelsOfAccount: 15,
  tunnelIdleMinutes: 30,
  tunnelHours: 8,
  /** The largest message on them. */
  tunnelMessageBytes: 1 * MB,
  /** Of a table of its database in one answer, and how far one can skip. */
  tableRows: { max: 100, default: 50 },
  tableOffset: 10_000,
  /** Commands of a project that may run at a time. */
  runs: 2,
  logsTail: { min: 1, max: 5000, default: 200 },
  /** The size of one answer, with the times of the lines. A line with its time has at most `logLineBytes`. */
  logsAnswerBytes: 4 * MB,
  logLineBytes: 32 * KB,
  statsHours: { min: 1, max: 72, default: 24 },
  statsDays: { min: 1, max: 365, default: 30 },
  /** How many days the breakdown of pageviews can look back. */
  breakdownDays: 90,
  /** Requests in one window. With more of them, the stats are marked as a sample. */
  statsEntries: 50_000,
  statsTop: { paths: 10, pages: 10, referrers: 10, countries: 8, browsers: 10, devices: 5, systems: 8 },
  aiUsageDays: { min: 1, max: 365, default: 30 },
  shareDays: { min: 1, max: 30, default: 7 },
  page: { min: 1, max: 100, default: 20 },
  recentDeployments: 20,
  inviteDays: 14,
  deviceExpiresSeconds: 900,
  envVariables: 500,
  envKey: 128,
  envValueBytes: 64 * KB,
  /** The size of all values of a project together. */
  envBytes: 1 * MB,
  accessCodeSeconds: 60,
  /** Share links of protected previews that a project may have. */
  previewLinks: 50,
  /** How long such a link works. */
  previewLinkDays: { default: 7, max: 90 },
  /** What the disk of a project may hold. */
  diskBytes: { min: 10 * MB, max: 1024 * 1024 * MB, default: 1024 * MB },
  /** Snapshots of a disk that are kept, and for how long. The newest stays. */
  diskSnapshots: 8,
  diskSnapshotDays: 30,
  /** How long the files of a removed disk are kept. */
  removedDiskDays: 7,
  /** Characters of the SQL that masks copies. */
  previewMaskLength: 64 * KB,
  /** Branches of a project that have a database of their own, and its connections. */
  previewDatabases: 10,
  previewDatabaseConnections: 5,
  crons: 100,
  /** Notification targets of a project, and of an org. */
  notificationTargets: 20,
  /** Deliveries that the log of a target keeps. */
  notificationDeliveries: 50,
  webhookUrl: 2048,
  cronRuns: 20,
  /** Branches in one answer. */
  branches: 100,
  /** Repositories of the built-in forge that an account or an org may have. */
  repositories: 500,
  /** Branches, tags and other refs that one push may change, and that a repository may have. */
  refsPerPush: 5_000,
  refsPerRepository: 20_000,
  /** Per project. */
  deployHooks: 20,
  deployHookName: 100,
  formBodyBytes: 256 * KB,
  formFields: 100,
  formsPerProject: 100,
  formRetentionDays: { min: 1, max: 3650 },
  /** What a project may set as its retention. */
  keptProduction: { min: 1, max: 1000 },
  keptPreviewDays: { min: 1, max: 3650 },
} as const

/** A project or org name is a DNS label, so no dash at its ends; `--` is the separator in URLs of previews. */
export const namePattern = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{1,38})[a-z0-9]$/

/** Names of the platform's own hosts. The server adds the first label of the DNS target. */
export const reservedNames = [
  'www',
  'api',
  'ai',
  'app',
  'admin',
  'dashboard',
  'status',
  'docs',
  'mail',
  'edge',
] as const

/** Environment variables that the platform sets itself. */
export const platformEnvKeys: readonly string[] = ['PORT', 'HOSTNAME']

export const envKeyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A form's name, as in the URL that it is posted to. */
export const formNamePattern = /^[a-z0-9-]{1,40}$/

export const sharePrefix = 'tmp-'
export const secretPrefix = 'svc_'
