// Writes a dump of the project's database to a file.
import { download } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, print } from '../../output.ts'
import { saveAnswer } from '../../save-answer.ts'
import { sessionSettings } from '../../session.ts'

export const dumpDatabase: Run = async ({ args: [named], options }) => {
  const name = requireProject(options)
  const file = named ?? `${name}.dump`
  const response = await download(sessionSettings(), 'GET /projects/:name/database/dump', {
    params: { name },
  })
  await saveAnswer(response, file)
  print(`Wrote ${bold(file)}.`)
}
