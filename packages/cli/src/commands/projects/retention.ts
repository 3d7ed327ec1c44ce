// Shows or sets how long the deployments of a project are kept. Says first what a new setting deletes.
import type { Retention } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import type { Sparse } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import type { OptionName, OptionValues } from '../../options.ts'
import { bold, notice, print, printJson } from '../../output.ts'
import { canAsk, confirm } from '../../prompt.ts'
import { connect } from '../../session.ts'

export const projectRetention: Run = async ({ args: [name = ''], options }) => {
  const call = connect()
  const params = { name }
  const retention = asked(options)
  if (Object.keys(retention).length === 0) {
    const project = await call('GET /projects/:name', { params })
    if (options.json) return printJson(project.retention ?? null)
    return print(describe(name, project.retention))
  }
  if (!options.yes) {
    const { deletes } = await call('PATCH /projects/:name', { params, body: { retention, dry_run: true } })
    if (deletes?.deployments) await confirmLoss(deletes.deployments, deletes.bytes ?? 0)
  }
  const saved = await call('PATCH /projects/:name', { params, body: { retention } })
  if (options.json) return printJson(saved)
  print(describe(name, saved.retention))
}

function asked(options: OptionValues): Partial<Retention> {
  const production = options['keep-production']
  const previews = options['keep-previews']
  return {
    ...(production !== undefined && {
      production_count: amount('keep-production', production, limits.keptProduction),
    }),
    ...(previews !== undefined && {
      preview_days: amount('keep-previews', previews, limits.keptPreviewDays),
    }),
  }
}

/** Null for `all`. */
function amount(option: OptionName, text: string, { min, max }: { min: number; max: number }): number | null {
  if (text === 'all') return null
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new Failure(`--${option} must be a number from ${min} to ${max}, or all, not '${text}'.`)
}

async function confirmLoss(deployments: number, bytes: number): Promise<void> {
  const what = deployments === 1 ? '1 deployment' : `${deployments} deployments`
  if (!canAsk())
    throw new Failure(
      `This would delete ${what} (${formatBytes(bytes)}), and there is no terminal to ask at. Pass --yes.`,
    )
  notice(`This deletes ${what} (${formatBytes(bytes)}) for good, with their permanent URLs.`)
  if (!(await confirm('Save it?', false))) throw new Failure('Nothing was changed.')
}

function describe(name: string, retention: Sparse<Retention> | null | undefined): string {
  const { production_count, preview_days } = retention ?? {}
  const production =
    production_count == null
      ? 'all former production deployments'
      : `the live deployment and ${production_count} before it`
  const previews = preview_days == null ? 'all previews' : `previews for ${preview_days} days`
  return `${bold(name)} keeps ${production}, and ${previews}.`
}
