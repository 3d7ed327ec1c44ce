// Opens pages in the browser: the dashboard, and the project's own site.
import type { ProjectDetail } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { openBrowser } from '../../browser.ts'
import type { Run } from '../../command.ts'
import { requireToken } from '../../credentials.ts'
import { requireProject } from '../../link.ts'
import { cyan, notice, print } from '../../output.ts'
import { dashboardUrl } from '../../platform-url.ts'
import { clientSettings, connect, required } from '../../session.ts'

export const dashboard: Run = async ({ options }) => {
  const token = requireToken()
  await connect(token)('GET /me')
  const url = await dashboardUrl(clientSettings())
  const withToken = `${url}/#token=${token}`
  if (options['print-url']) return print(withToken)
  await openAndPrint(url, withToken)
}

export const openSite: Run = async ({ args: [id], options }) => {
  const name = requireProject(options)
  const call = connect()
  const url = id
    ? required(await call('GET /projects/:name/deployments/:id', { params: { name, id } }), 'url')
    : siteOf(await call('GET /projects/:name', { params: { name } }))
  if (options.print) return print(url)
  await openAndPrint(url, url)
}

const siteOf = (project: Sparse<ProjectDetail>): string => project.primary_url ?? required(project, 'url')

/** Opens `privateUrl`, and prints `url`, which holds no secret. */
async function openAndPrint(url: string, privateUrl: string): Promise<void> {
  notice(
    (await openBrowser(privateUrl)) ? 'Opened in your browser:' : 'No browser could be opened. The URL is:',
  )
  print(cyan(url))
}
