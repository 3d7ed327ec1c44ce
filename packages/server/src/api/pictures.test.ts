// When a site has a picture. The pictures themselves are made by a function of the test.
import { expect, it } from 'vitest'
import { makeNextPicture } from '../core/projects/pictures.ts'
import type { TakePicture } from '../ports/site-picture/port.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

onEveryServer(server => {
  /** Makes all missing pictures, with several workers at the same time. */
  async function makeAll(take: TakePicture): Promise<void> {
    const { platform } = server().running
    const { signal } = new AbortController()
    const work = async () => {
      while (await makeNextPicture(platform, take, signal));
    }
    await Promise.all([work(), work(), work()])
  }

  async function newSite() {
    const { token } = await server().account()
    const name = await deploySite(server(), token, { 'index.html': 'hello' })
    const version = async () => (await send(server(), `GET /projects/${name}`, { token })).json.picture
    const picture = () => send(server(), `GET /projects/${name}/picture`, { token })
    const access = (mode: string) =>
      send(
        server(),
        `PUT /projects/${name}/access`,
        { token },
        { mode, ...(mode === 'password' && { password }) },
      )
    return { name, version, picture, access }
  }
  const password = 'a long enough password'

  it('several workers make each picture once', async () => {
    const sites = [await newSite(), await newSite()]
    const made: string[] = []
    await makeAll(async ({ project }) => {
      made.push(project)
      return Buffer.from(project)
    })
    expect(made.toSorted()).toEqual(sites.map(({ name }) => name).toSorted())
    for (const { version } of sites) expect(await version()).toMatch(/^[0-9a-f]{16}$/)
  })

  it('the picture of a site is deleted when it becomes protected, and made anew when it is public again', async () => {
    const { version, picture, access } = await newSite()
    await makeAll(async () => Buffer.from('before'))
    expect((await picture()).text).toBe('before')
    expect((await access('password')).status).toBe(200)
    expect([await version(), (await picture()).status]).toEqual([null, 404])
    await makeAll(async () => Buffer.from('never'))
    expect(await version()).toBeNull()
    await access('public')
    await makeAll(async () => Buffer.from('after'))
    expect((await picture()).text).toBe('after')
  })

  it('a picture that was begun before the site became protected is not kept', async () => {
    const { name, version, access } = await newSite()
    await makeAll(async ({ project }) => {
      if (project === name) await access('password')
      return Buffer.from('too late')
    })
    expect(await version()).toBeNull()
  })
})
