// Pushes the projects that have one answer everywhere.
import { describeProjects } from '@svc/contract/project/conformance'
import { onTestFinished } from 'vitest'
import { newGitProject } from '../testing/git-project.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

/** No build of these projects gets anything from the internet. Without these, npm and corepack try for more than a minute. */
const offline = {
  COREPACK_ENABLE_NETWORK: '0',
  npm_config_registry: 'http://127.0.0.1:1',
  npm_config_fetch_retries: '0',
}

onEveryServer(server => {
  describeProjects('pushed with git', async files => {
    const { copy, push, path, owner } = await newGitProject(server(), { install_cmd: 'true' })
    onTestFinished(() => copy.remove())
    for (const [key, value] of Object.entries(offline))
      await send(server(), `PUT ${path}/env/${key}`, owner, { value, scope: 'build' })
    await copy.commit(files)
    const { stderr } = await push('main')
    const [, command] = /Building: (.+?)\s*$/m.exec(stderr) ?? []
    const { deployments } = (await send(server(), `GET ${path}`, owner)).json
    if (!deployments[0]) return { command }
    const list = await send(server(), `GET ${path}/deployments/${deployments[0].id}/files`, owner)
    return { command, paths: list.json.files.map((file: { path: string }) => file.path) }
  })
})
