// Names and links that repositories have, and sites can have or not.
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const newProject = () => gitProjectOfTest(server())

  it('a push publishes files with odd names, and names that differ in case alone', async () => {
    const { copy, push, name } = await newProject()
    await copy.commit({
      ...{ 'index.html': 'front', '-rf': 'a dash', 'a b*?.txt': 'a star', 'ü/é.html': 'accents' },
      ...{ 'A.html': 'upper', 'a.html': 'lower', 'a\nb.txt': 'a line break' },
    })
    expect((await push('main')).stderr).toContain('Live: ')
    const pages = ['/', '/-rf', '/a%20b*%3F.txt', '/%C3%BC/%C3%A9', '/A', '/a', '/a%0Ab.txt']
    const texts = await Promise.all(pages.map(async page => (await server().site(name, page)).text))
    expect(texts).toEqual(['front', 'a dash', 'a star', 'accents', 'upper', 'lower', 'a line break'])
  })

  it('a push with a name that is not UTF-8 fails its build and names the file', async () => {
    const { copy, push, builds } = await newProject()
    await writeFile(Buffer.concat([Buffer.from(`${copy.dir}/caf`), Buffer.from([0xe9])]), 'x')
    await copy.commit({ 'index.html': 'front' })
    await push('main')
    expect((await builds())[0]).toMatchObject({
      status: 'failed',
      error: "The file 'caf\uFFFD' has a name that is not UTF-8. Rename it, then push again.",
    })
  })

  it('a push of a static site says which links are left out, and why', async () => {
    const { copy, push, name } = await newProject()
    await symlink('/etc/passwd', join(copy.dir, 'out.txt'))
    await symlink('index.html', join(copy.dir, 'latest.html'))
    await copy.commit({ 'index.html': 'front' })
    const { stderr } = await push('main')
    expect(stderr).toContain('Warning: The link out.txt has an absolute target, and is left out.')
    expect(stderr).toContain(
      'Warning: The link latest.html is left out: a static site has no symbolic links.',
    )
    expect((await server().site(name)).text).toBe('front')
    expect((await server().site(name, '/out.txt')).status).toBe(404)
  })

  it('a push of a commit without files says that there is nothing to deploy', async () => {
    const { copy, push, builds } = await newProject()
    await copy.commit({})
    await push('main')
    expect((await builds())[0].error).toMatch(/^Nothing to deploy: there are no files/)
  })
})
