// Deploys a built directory: list, check, pack, upload.
import type { Answer, EndpointTable } from '@svc/contract'
import { answerFrom, networkError, target } from '@svc/contract/client'
import { apiUrl } from '../address.ts'
import type { Run } from '../command.ts'
import { requireToken } from '../credentials.ts'
import { requireProject } from '../link.ts'
import { bold, count, cyan, print, printJson, size, warn } from '../output.ts'
import { progressBar } from '../progress.ts'
import { userAgent } from '../session.ts'
import { doubts } from '../site/doubts.ts'
import { gitSha } from '../site/git.ts'
import type { Archive } from '../site/gzip.ts'
import { listSite, totalSize } from '../site/list.ts'
import { pack } from '../site/pack.ts'
import { upload } from '../site/upload.ts'
import { version } from '../version.ts'

export const deploy: Run = async ({ args: [dir = '.'], options }) => {
  const project = requireProject(options)
  const files = listSite(dir)
  const token = requireToken()
  for (const doubt of doubts(dir, files)) warn(doubt)

  const packing = progressBar('Packing', totalSize(files))
  const [archive, sha] = await Promise.all([pack(dir, files, packing.update), gitSha(dir)]).finally(
    packing.end,
  )
  const deployment = await publish(project, token, archive, sha)

  for (const warning of deployment.warnings ?? []) warn(warning)
  if (options.json) return printJson(deployment)
  print(
    `${bold(deployment.deployment_id)} is live: ${count(files.length, 'file')}, ${size(totalSize(files))}.`,
  )
  print(cyan(deployment.url))
}

const endpoint = 'POST /projects/:name/deployments'
type Deployed = Answer<EndpointTable[typeof endpoint]>

async function publish(
  name: string,
  token: string,
  archive: Archive,
  sha: string | undefined,
): Promise<Deployed> {
  const baseUrl = apiUrl()
  const { path } = target(endpoint, { params: { name } })
  const headers = {
    ...userAgent(),
    authorization: `Bearer ${token}`,
    'content-type': 'application/gzip',
    'x-svc-cli-version': version(),
    ...(sha && { 'x-svc-git-sha': sha }),
  }
  const sending = progressBar('Uploading', archive.bytes)
  const { status, text } = await upload(new URL(baseUrl + path), headers, archive, sending.update)
    .catch(cause => {
      throw networkError(baseUrl, cause)
    })
    .finally(sending.end)
  return answerFrom<Deployed>(status, text)
}
