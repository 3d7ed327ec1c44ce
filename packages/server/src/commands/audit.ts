// svcd audit: writes the audit log of all projects, orgs and accounts as JSON lines. It works while the server runs.
import { parseArgs } from 'node:util'
import { withPlatform } from '../compose/command-platform.ts'
import { exportAllAudit } from '../core/base/audit-export.ts'
import { complain } from './output.ts'

const options = { since: { type: 'string' } } as const

export async function audit(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { since } = values
  if (positionals.join(' ') !== 'export' || (since !== undefined && Number.isNaN(Date.parse(since))))
    return complain('Usage: svcd audit export [--since <YYYY-MM-DD or a timestamp>]')
  await withPlatform(async ({ store }) => {
    for await (const part of exportAllAudit(store, since)) process.stdout.write(part)
  })
  return 0
}
