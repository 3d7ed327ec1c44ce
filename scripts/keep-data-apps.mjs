// The ways to keep data that docs/data.md describes: each a small app that adds a note at /add and lists them at /.
const server = (setUp, add, list) => `${setUp}
import { createServer } from 'node:http'
createServer(async (req, res) => {
  try {
    if (req.url === '/add') ${add}
    res.end(\`\${${list}} notes\`)
  } catch (error) {
    res.writeHead(500).end(String(error))
  }
}).listen(process.env.PORT, process.env.HOSTNAME)
`

const noteTable = 'create table if not exists notes (id serial primary key, text text not null)'

/** `before`: what the project needs first. `build`: commands before the deploy. `script`: what `svc deploy --build` runs. */
export const apps = {
  sqlite: {
    before: ['disk', 'add', '--size', '50MB'],
    // As node:sqlite, which is part of Node from 22.5 on.
    packages: ['@photostructure/sqlite@1'],
    files: {
      'app.mjs': server(
        `import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
const db = new DatabaseSync(path.join(process.env.SVC_DISK ?? '.', 'app.db'))
db.exec('pragma journal_mode = wal; pragma busy_timeout = 5000; create table if not exists notes (text)')`,
        "db.prepare('insert into notes values (?)').run('a note')",
        "db.prepare('select count(*) as count from notes').get().count",
      ),
    },
  },
  postgresql: {
    before: ['db', 'create'],
    packages: ['pg@8'],
    release: 'node migrate.mjs',
    files: {
      'migrate.mjs': `import pg from 'pg'
const client = new pg.Client(process.env.DATABASE_URL)
await client.connect()
await client.query('${noteTable}')
await client.end()
`,
      'app.mjs': server(
        `import pg from 'pg'
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL })`,
        "await db.query('insert into notes (text) values ($1)', ['a note'])",
        "(await db.query('select count(*) from notes')).rows[0].count",
      ),
    },
  },
  drizzle: {
    before: ['db', 'create'],
    packages: ['drizzle-orm@0.45', 'pg@8'],
    tools: ['drizzle-kit@0.31'],
    release: 'node migrate.mjs',
    build: [['npx', 'drizzle-kit', 'generate', '--dialect', 'postgresql', '--schema', 'schema.mjs']],
    files: {
      'schema.mjs': `import { pgTable, serial, text } from 'drizzle-orm/pg-core'
export const notes = pgTable('notes', { id: serial().primaryKey(), text: text().notNull() })
`,
      'migrate.mjs': `import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
const db = drizzle(process.env.DATABASE_URL)
await migrate(db, { migrationsFolder: 'drizzle' })
await db.$client.end()
`,
      'app.mjs': server(
        `import { drizzle } from 'drizzle-orm/node-postgres'
import { notes } from './schema.mjs'
const db = drizzle(process.env.DATABASE_URL)`,
        "await db.insert(notes).values({ text: 'a note' })",
        'await db.$count(notes)',
      ),
    },
  },
  prisma: {
    before: ['db', 'create'],
    packages: ['@prisma/client@7', '@prisma/adapter-pg@7', 'pg@8'],
    tools: ['prisma@7', 'esbuild@0.28'],
    // `prisma migrate deploy` needs an engine that is not in npm. Each migration is a file of SQL, which this runs once.
    release: 'node migrate.mjs',
    script:
      'prisma generate && esbuild app.ts --bundle --platform=node --format=esm --packages=external --outfile=app.mjs',
    // Generating needs no engine either, but looks for one.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' },
    files: {
      'prisma.config.ts': `import { defineConfig } from 'prisma/config'
export default defineConfig({ schema: 'prisma/schema.prisma' })
`,
      'prisma/schema.prisma': `generator client {
  provider = "prisma-client"
  output   = "../generated"
}
datasource db {
  provider = "postgresql"
}
model Note {
  id   Int    @id @default(autoincrement())
  text String
  @@map("notes")
}
`,
      'prisma/migrations/1_notes/migration.sql': `${noteTable};\n`,
      'migrate.mjs': `import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
const client = new pg.Client(process.env.DATABASE_URL)
await client.connect()
await client.query('create table if not exists migrations (name text primary key)')
for (const name of readdirSync('prisma/migrations').sort()) {
  await client.query('begin')
  const { rowCount } = await client.query('insert into migrations values ($1) on conflict do nothing', [name])
  if (rowCount) await client.query(readFileSync(\`prisma/migrations/\${name}/migration.sql\`, 'utf8'))
  await client.query('commit')
}
await client.end()
`,
      'app.ts': server(
        `import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './generated/client'
const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) })`,
        "await db.note.create({ data: { text: 'a note' } })",
        'await db.note.count()',
      ),
    },
  },
}
