// Which statements of the project's database took the most time.
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { clean, duration, notice, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const showSlow: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/database/slow', { params: { name } })
  if (options.json) return printJson(answer)
  const statements = required(answer, 'statements')
  if (answer.remedy) return notice(clean(answer.remedy))
  if (statements.length === 0) return print('No statement has been counted yet.')
  printTable([
    ['Total', 'Share', 'Mean', 'Calls', 'Rows', 'Statement'],
    ...statements.map(({ total_ms, share, mean_ms, calls, rows, query }) => [
      time(total_ms ?? 0),
      `${Math.round((share ?? 0) * 100)} %`,
      time(mean_ms ?? 0),
      String(calls ?? ''),
      String(rows ?? ''),
      clean(query ?? ''),
    ]),
  ])
}

const time = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : duration(ms))
