// Runs `svc import` of the project site-1 in a directory of its own.
import { project, type StandIn, standIn } from '../../testing/api.ts'
import { type Result, svc, temporaryDirectory, token } from '../../testing/svc.ts'

export const created = { status: 201, body: project('site-1') }
export const noEnv = { body: { env: [] } }
export const noCrons = { body: { crons: [], verification_secret: 's' } }
export const vercelJson = (config: object) => ({ 'vercel.json': JSON.stringify(config) })

/** Runs the import of `site-1` with a platform that answers as scripted. */
export async function runImport(
  files: Record<string, string>,
  answers: Parameters<typeof standIn>[0],
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<{ api: StandIn; cwd: string; again: () => Promise<Result>; result: Result }> {
  const api = await standIn(answers)
  const cwd = temporaryDirectory(files)
  const again = () =>
    svc(['import', '--project', 'site-1', ...args], {
      cwd,
      env: { SVC_API_URL: api.url, SVC_TOKEN: token, ...env },
    })
  return { api, cwd, again, result: await again() }
}
