// An instance with many live sites.
import { clientOf } from './svc.mjs'

/** One account may make 6,000 changes in ten minutes, and each project takes two. */
const accounts = 5

/** Every project gets a live deployment, through the API as users would. */
export async function fillWithSites(machine, tarball, projects) {
  const tokens = []
  for (let i = 0; i < accounts; i++) tokens.push(await machine.token(`bench-${i}`))
  const svcd = await machine.start()
  const clients = tokens.map(token => clientOf(svcd.port, token))
  let next = 0
  const worker = async () => {
    for (let i = next++; i < projects; i = next++) {
      const svc = clients[i % accounts]
      await svc.api('POST', '/projects', { name: `site-${i}` })
      await svc.deploy(`site-${i}`, tarball)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  await svcd.stop()
}
