// svcd nodes: lists the nodes that share the database, and invites another one.
import { parseArgs } from 'node:util'
import { withPlatform } from '../compose/command-platform.ts'
import { environmentOf, readSettings, s3Settings, sharedSettings } from '../config.ts'
import { inviteNode } from '../core/platform/node-invites.ts'
import { Fault } from '../lib/fault.ts'
import { listLivingNodes } from '../store/platform/nodes.ts'
import { complain } from './output.ts'

export async function nodes(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [command = 'list', ...rest] = positionals
  const run = { list, invite }[command]
  if (!run || rest.length > 0) return complain('Usage: svcd nodes list | svcd nodes invite')
  await run()
  return 0
}

async function list(): Promise<void> {
  requireShared()
  await withPlatform(async ({ store }) => {
    for (const { node_id, address, roles, version } of await listLivingNodes(store.db))
      process.stdout.write(`${node_id}  ${address}  ${roles}  ${version}\n`)
  })
}

async function invite(): Promise<void> {
  const settings = requireShared()
  await withPlatform(async platform => {
    const keys = platform.keyring.keys.map(key => key.base64.reveal())
    const { text, leftOut } = sharedSettings(environmentOf(settings), keys)
    const code = await inviteNode(platform, text)
    process.stderr.write('Run this on the new machine. The code works once, for 15 minutes:\n')
    process.stdout.write(`svcd join ${platform.urls.api} ${code}\n`)
    if (leftOut.length > 0)
      process.stderr.write(`Not handed over, since they are those of a machine: ${leftOut.join(', ')}\n`)
  }, settings)
}

function requireShared() {
  const settings = readSettings()
  if (!settings.databaseUrl || !s3Settings(settings))
    throw new Fault(
      'invalid_request',
      'Several nodes share a PostgreSQL database and an S3 storage. Set SVCD_DATABASE_URL and SVCD_STORAGE_URL first, see docs/nodes.md.',
    )
  return settings
}
