import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { newGitProject, occupyBuilder } from '../../testing/git-project.ts'
import { onEveryServer } from '../../testing/server.ts'

onEveryServer(server => {
  it('a push says that its build waits in the queue, and at which place', async () => {
    const builder = await occupyBuilder(server())
    const { copy } = await newGitProject(server())
    await copy.commit({ 'index.html': 'x' })
    // The output goes to a file, to be read while the push waits.
    const output = path.join(copy.dir, 'push.log')
    const env = { PATH: process.env.PATH, HOME: copy.dir, GIT_TERMINAL_PROMPT: '0' }
    const pushed = promisify(execFile)('sh', ['-c', 'git push origin main 2> push.log'], {
      cwd: copy.dir,
      env,
    })
    await eventually(async () => /Waiting in the queue, at place \d+\./.test(await readFile(output, 'utf8')))
    await builder.release()
    await pushed
    expect(await readFile(output, 'utf8')).toMatch(/Waiting in the queue[\s\S]*Checking out[\s\S]*Live: /)
    await copy.remove()
  })
})
