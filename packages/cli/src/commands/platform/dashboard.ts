// Opens pages in the browser: the dashboard, and the project's own site.
import { dashboardUrl } from '../../address.ts'
import { openBrowser } from '../../browser.ts'
import type { Run } from '../../command.ts'
import { requireToken } from '../../credentials.ts'
import { requireProject } from '../../link.ts'
import { cyan, notice, print } from '../../output.ts'
import { clientSettings, connect, required } from '../../session.ts'

export const dashboard: Run = async ({ options }) => {
  const token = requireToken()
  await connect(token)('GET /me')
  const url = await dashboardUrl(clientSettings())
  const withToken = `${url}/#token=${token}`
  if (options['print-url']) return print(withToken)
  await show(url, withToken)
}

export const openSite: Run = async ({ options }) => {
  const name = requireProject(options)
  const url = required(await connect()('GET /projects/:name', { params: { name } }), 'url')
  await show(url, url)
}

/** Opens `address`, and prints `url`, which holds no secret. */
async function show(url: string, address: string): Promise<void> {
  notice((await openBrowser(address)) ? 'Opened in your browser:' : 'No browser could be opened. The URL is:')
  print(cyan(url))
}
