// The commands of the PostgreSQL database of a project.
import { onProject } from '../../command.ts'

export const databasesCommands = onProject('Settings', {
  db: {
    summary: 'Show the PostgreSQL database of the project',
    options: ['json'],
    load: async () => (await import('./database.ts')).showDatabase,
  },
  'db create': {
    summary: 'Create the database; the app gets DATABASE_URL',
    options: ['json'],
    details:
      'The live server app and its release command get DATABASE_URL. Each preview gets an empty database of its own. A variable DATABASE_URL of the project comes first.',
    load: async () => (await import('./database.ts')).createDatabase,
  },
  'db undelete': {
    summary: 'Bring back the database that was removed or replaced last',
    details:
      'If the project has another one by then, that is removed, and can be brought back in the same way.',
    options: ['json'],
    load: async () => (await import('./database.ts')).undeleteDatabase,
  },
  'db previews': {
    summary: 'Say what the databases of new previews begin with: empty, or copy',
    args: ['<empty|copy>'],
    options: ['mask', 'unmasked'],
    details:
      'With copy, the database of each new preview begins with what the database of production holds, so everyone who can push a branch can read that. With --mask, the statements of an SQL file run in each copy before the preview can connect: svc db previews copy --mask mask.sql. If they fail, there is no copy, and the deployment says why. Databases that exist stay as they are.',
    load: async () => (await import('./database.ts')).setPreviewData,
  },
  'db shell': {
    summary: 'Open the database in psql',
    args: ['[psql-argument...]'],
    options: ['branch'],
    optionTexts: { branch: { value: '<branch>', summary: "That of this branch's preview" } },
    details:
      'It connects through the API with your token, and starts psql of this machine: svc db shell -- -c "select 1". For admins. It ends after 8 hours, and after 30 minutes in which nothing is sent.',
    load: async () => (await import('./connect.ts')).openShell,
  },
  'db url': {
    summary: 'Print a URL of the database for programs on this machine',
    options: ['temporary', 'branch'],
    optionTexts: { branch: { value: '<branch>', summary: "That of this branch's preview" } },
    details:
      'With --temporary it prints a URL that works on this machine while the command runs, with a password of its own. Each connection goes through the API with your token; 5 are possible at a time. For admins.',
    load: async () => (await import('./connect.ts')).showUrl,
  },
  'db queries': {
    summary: 'Show what the connections of the database do now',
    options: ['json'],
    load: async () => (await import('./database.ts')).showQueries,
  },
  'db tables': {
    summary: 'Show the tables of the database, with their sizes',
    options: ['branch', 'json'],
    optionTexts: { branch: { value: '<branch>', summary: "That of this branch's preview" } },
    details: 'The number of rows is an estimate of PostgreSQL. For admins.',
    load: async () => (await import('./tables.ts')).showTables,
  },
  'db rows': {
    summary: 'Show rows of a table, in the order of its primary key',
    args: ['<table>'],
    options: ['schema', 'limit', 'skip', 'branch', 'json'],
    optionTexts: {
      limit: { value: '<n>', summary: 'How many at most, up to 100 (default 20)' },
      branch: { value: '<branch>', summary: "That of this branch's preview" },
    },
    details:
      'It reads, and can change nothing. Long values are cut off; with --json each says how long it is. Each look is in the audit log. For admins.',
    load: async () => (await import('./tables.ts')).showRows,
  },
  'db slow': {
    summary: 'Show which statements took the most time',
    details:
      'The 20 with the most time in total, as the server has counted since it last began. Values and comments are left out. Share is that of the time of all statements of the database.',
    options: ['json'],
    load: async () => (await import('./slow.ts')).showSlow,
  },
  'db dump': {
    summary: 'Write a dump of the database to a file',
    args: ['[file]'],
    details: 'The file is <project>.dump if none is named. pg_restore reads it.',
    load: async () => (await import('./dump.ts')).dumpDatabase,
  },
  'db restore': {
    summary: 'Replace what the database holds by a dump',
    args: ['<file>'],
    details:
      'The file is as svc db dump or pg_dump --format=custom makes it. It asks for the name of the project. If the dump cannot be restored, nothing changes. What the database held before is kept for 7 days: svc db undelete brings it back.',
    load: async () => (await import('./restore.ts')).restoreDatabase,
  },
  'db rm': {
    summary: 'Remove the database; it is kept for 7 days',
    aliases: ['remove', 'delete'],
    details:
      'It asks for the name of the project. Until the 7 days are over, svc db undelete brings it back.',
    load: async () => (await import('./database.ts')).removeDatabase,
  },
})
