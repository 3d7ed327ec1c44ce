// The branch that a clone of a hosted repository checks out.
import { expect, it, onTestFinished } from 'vitest'
import { newGitProject } from '../../testing/git-project.ts'
import { onEveryServer } from '../../testing/server.ts'

onEveryServer(server => {
  async function newProject(settings: Record<string, unknown> = {}) {
    const project = await newGitProject(server(), settings)
    onTestFinished(() => project.copy.remove())
    const checkedOut = async () => {
      const { stdout } = await project.copy.git('ls-remote', '--symref', 'origin', 'HEAD')
      return /^ref: refs\/heads\/(\S+)\tHEAD/.exec(stdout)?.[1]
    }
    return { ...project, checkedOut }
  }

  it('is one that exists, and the production branch once it does', async () => {
    const { copy, push, checkedOut, name, repo } = await newProject()
    await copy.commit({ 'index.html': 'first' })
    const { stderr } = await push('main:master')
    expect(stderr).toContain(
      `${name}: nothing goes live, because the production branch 'main' does not exist.`,
    )
    expect(stderr).toContain(`(git push <remote> master:main)`)
    expect(stderr).toContain(`svc git connect ${repo} --branch <branch>`)
    expect(await checkedOut()).toBe('master')
    expect((await push('main')).stderr).not.toContain('nothing goes live')
    expect(await checkedOut()).toBe('main')
    expect((await server().site(name)).text).toBe('first')
  })

  it('changes when the branch is deleted, and the site stays', async () => {
    const { copy, push, checkedOut, name } = await newProject({ branch: 'live', previews: false })
    await copy.commit({ 'index.html': 'live' })
    await push('main:live', 'main:other')
    expect(await checkedOut()).toBe('live')
    expect((await push('--delete', 'live')).code).toBe(0)
    expect(await checkedOut()).toBe('other')
    expect((await server().site(name)).text).toBe('live')
  })
})
