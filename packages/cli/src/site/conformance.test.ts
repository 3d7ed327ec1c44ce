// Runs the conformance tests of all clients with `svc deploy` of a real directory.
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Contents, describeSiteClient } from '@svc/contract/site/conformance'
import { standIn } from '../testing/api.ts'
import { svc, temporaryDirectory, token, writeFiles } from '../testing/svc.ts'

describeSiteClient({
  async deploy(contents) {
    const cwd = temporaryDirectory()
    writeSite(join(cwd, 'site'), contents)
    const body = { deployment_id: 'dep_a', url: 'http://blog.localhost:8080', warnings: [] }
    const api = await standIn({ 'POST /projects/blog/deployments': { status: 201, body } })
    const { code, stderr } = await svc(['deploy', 'site', '--project', 'blog'], {
      cwd,
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    const lines = stderr.split('\n').slice(0, -1)
    if (code !== 0) throw new Error(lines.join('\n').replace(/^svc: /, ''))
    return {
      tar: gunzipSync(api.calls.at(-1)!.body),
      findings: lines.map(line => line.replace(/^Warning: /, '')),
    }
  },
  nameFolder: folder => `svc deploy site/${folder} --project blog`,
})

function writeSite(dir: string, contents: Contents): void {
  for (const [path, content] of Object.entries(contents)) {
    const isText = typeof content === 'string'
    writeFiles(dir, { [path]: isText ? content : '' })
    if (!isText) truncateSync(join(dir, path), content.bytes)
  }
}
