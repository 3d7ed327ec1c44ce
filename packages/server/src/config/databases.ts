// Settings of the PostgreSQL databases of projects.
import * as kind from './kinds.ts'
import { setting, unset } from './setting.ts'

export const databaseSettings = {
  appsPostgresUrl: setting(
    'SVCD_APPS_POSTGRES_URL',
    kind.secretUrl('postgres:', 'postgresql:'),
    unset("svcd's own server"),
    'a PostgreSQL server for the [databases of projects](database.md#for-operators), with a role that may create roles and databases',
  ),
  appsPostgres: setting(
    'SVCD_APPS_POSTGRES',
    kind.choice('auto', 'on', 'off'),
    'auto',
    'whether projects may have databases; `auto` starts a server of its own where svcd keeps its data in SQLite and apps run on this machine; `on` also beside `SVCD_DATABASE_URL`, where one machine alone runs svcd',
  ),
  appsPostgresConnections: setting(
    'SVCD_APPS_POSTGRES_CONNECTIONS',
    kind.whole(10, 10_000),
    300,
    'connections of all databases together',
  ),
  postgresPrograms: setting(
    'SVCD_POSTGRES_PROGRAMS',
    kind.directory,
    unset('those of the system'),
    "the directory of PostgreSQL's programs, such as `/usr/lib/postgresql/17/bin`",
  ),
  appsPostgresArchive: setting(
    'SVCD_APPS_POSTGRES_ARCHIVE',
    kind.directory,
    unset('no archive'),
    "a folder on another disk, for copies of svcd's own server and its log: [a database comes back as of any second](database.md#back-to-a-point-in-time)",
  ),
  appsPostgresArchiveDays: setting(
    'SVCD_APPS_POSTGRES_ARCHIVE_DAYS',
    kind.whole(1, 90),
    7,
    'how far back the archive reaches',
  ),
  appsPostgresArchiveBytes: setting(
    'SVCD_APPS_POSTGRES_ARCHIVE_BYTES',
    kind.bytes(kind.GB, 1024 * 1024 * kind.GB),
    50 * kind.GB,
    'what the archive may take; beyond this it gives up its oldest days',
  ),
  appDatabaseMb: setting(
    'SVCD_APP_DATABASE_MB',
    kind.whole(16, 1024 * 1024),
    1024,
    'the size of one database',
  ),
  appDatabaseConnections: setting(
    'SVCD_APP_DATABASE_CONNECTIONS',
    kind.whole(1, 1000),
    15,
    'connections of one database',
  ),
}
