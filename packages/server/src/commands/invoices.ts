// svcd invoices: writes all invoices and credit notes as CSV. It works while the server runs.
import { parseArgs } from 'node:util'
import { withPlatform } from '../compose/command-platform.ts'
import { exportInvoices } from '../core/admin/invoices.ts'
import { complain } from './output.ts'

const options = { from: { type: 'string' }, to: { type: 'string' } } as const

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

export async function invoices(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const days = [values.from, values.to].filter(day => day !== undefined)
  if (positionals.join(' ') !== 'export' || !days.every(isDay))
    return complain('Usage: svcd invoices export [--from <YYYY-MM-DD>] [--to <YYYY-MM-DD>]')
  await withPlatform(async platform => {
    for await (const part of exportInvoices(platform, values)) process.stdout.write(part)
  })
  return 0
}
