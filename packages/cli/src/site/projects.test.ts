// Runs the projects that have one answer everywhere through `svc deploy --build`, `svc deploy` and `svc import`.
import { execFileSync } from 'node:child_process'
import { describeProjects } from '@svc/contract/project/conformance'
import { standIn } from '../testing/api.ts'
import { useOneProcess } from '../testing/many-commands.ts'
import { installed, temporaryDirectory, token } from '../testing/svc.ts'

const upload = 'POST /projects/blog/deployments'
const deployed = { deployment_id: 'dep_a', url: 'http://blog.localhost:8080', warnings: [] }

const svc = useOneProcess()

async function run(cwd: string, ...args: string[]) {
  const api = await standIn({ [upload]: { status: 201, body: deployed } })
  // npm writes its log to the home directory, and would look for newer versions of itself.
  const npm = {
    HOME: temporaryDirectory(),
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'silent',
    npm_config_offline: 'true',
  }
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, ...npm }
  const result = await svc({ args, cwd, env })
  return { ...result, archive: api.calls[0]?.body }
}

describeProjects('built and deployed by svc', async files => {
  const { stderr, archive } = await run(
    temporaryDirectory(installed(files)),
    'deploy',
    '--build',
    '--project',
    'blog',
  )
  const [, command] = /^Building: (.+)$/m.exec(stderr) ?? []
  const list = archive && execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' })
  return { command, paths: list?.trim().split('\n') }
})

describeProjects('deployed by svc after its build', async files => {
  const cwd = temporaryDirectory(files)
  execFileSync(process.execPath, ['make.cjs'], { cwd })
  const { stderr } = await run(cwd, 'deploy', '--project', 'blog')
  const [, folder = '.'] = /\bsvc deploy ([^-\s]\S*)/.exec(stderr) ?? []
  return { folder }
})

describeProjects('imported by svc', async files => {
  const { stdout } = await run(
    temporaryDirectory(files),
    'import',
    'vercel',
    '--dry-run',
    '--json',
    '--project',
    'blog',
  )
  return { framework: JSON.parse(stdout).framework }
})
