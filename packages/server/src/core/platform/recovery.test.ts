import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { insertDeployment } from '../../store/deployments/uploads.ts'
import { archiveOf } from '../../testing/archives.ts'
import { deploymentRow } from '../../testing/rows.ts'
import { onEveryServer } from '../../testing/server.ts'
import { recover, removeOrphans } from './recovery.ts'
import { sweep } from './sweep.ts'

onEveryServer(server => {
  const setUp = async () => {
    const { token, id: accountId } = await server().account()
    const name = `r${accountId.slice(4, 20)}`
    const project = (await server().request('/projects', { method: 'POST', token, body: { name } })).json
    const uploading = (id: string, nodeId: string) =>
      insertDeployment(
        server().running.platform.store.db,
        deploymentRow({
          ...{ id, project_id: project.id, status: 'uploading', created_at: server().clock.now() },
          ...{ file_count: null, size_bytes: null, node_id: nodeId },
        }),
      )
    const statusOf = async (id: string) => {
      const detail = (await server().request(`/projects/${name}`, { token })).json
      return detail.deployments.find((d: { id: string }) => d.id === id)
    }
    return { uploading, statusOf, suffix: accountId.slice(4) }
  }

  const writePack = async (id: string) => {
    const sink = await server().running.platform.packs.create(id)
    await sink.write(Buffer.from('of no record'))
    await sink.commit()
  }
  const packFiles = () => readdir(path.join(server().dataDir, 'packs'), { recursive: true })

  it('the recovery fails what this node was receiving, and leaves the uploads of other nodes alone', async () => {
    const { uploading, statusOf, suffix } = await setUp()
    const { platform } = server().running
    const [mine, theirs] = [`dep_${suffix.slice(0, 15)}1`, `dep_${suffix.slice(0, 15)}2`]
    await uploading(mine, platform.nodeId)
    await uploading(theirs, 'another-node')
    for (const id of [mine, theirs]) await writePack(id)
    await recover(platform)
    expect(await statusOf(mine)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('stopped'),
    })
    expect((await statusOf(theirs)).status).toBe('uploading')
    expect(await packFiles()).toContain(`${theirs}.pack`)
    server().clock.advance(4 * 3_600_000)
    await sweep(platform)
    expect((await statusOf(theirs)).status).toBe('failed')
    for (const id of [mine, theirs]) expect(await packFiles()).not.toContain(`${id}.pack`)
  })

  it('the recovery says so if the storage belongs to another platform', async () => {
    const mark = path.join(server().dataDir, 'packs', 'owner')
    const ours = await readFile(mark, 'utf8')
    await writeFile(mark, 'another')
    const { platform } = server().running
    expect((await recover(platform)).leftAlone).toContain('another platform')
    await writeFile(mark, ours)
    expect((await recover(platform)).leftAlone).toBeUndefined()
  })

  it('files without a record are removed and all others kept, unless another platform uses the storage', async () => {
    const { token, id } = await server().account()
    const name = `o${id.slice(4, 20)}`
    await server().request('/projects', { method: 'POST', token, body: { name } })
    await server().upload(token, name, archiveOf({ 'index.html': 'kept' }))
    const orphans = [`dep_${id.slice(4)}`, `dep_${id.slice(4)}.z`]
    for (const orphan of orphans) await writePack(orphan)
    const { platform } = server().running
    const remove = () => removeOrphans(platform, new AbortController().signal)
    const mark = path.join(server().dataDir, 'packs', 'owner')
    const ours = await readFile(mark, 'utf8')
    await writeFile(mark, 'another')
    expect(await remove()).toBe(0)
    await writeFile(mark, ours)
    expect(await remove()).toBeGreaterThanOrEqual(2)
    const left = await packFiles()
    for (const orphan of orphans) expect(left).not.toContain(`${orphan}.pack`)
    expect((await server().site(name)).text).toBe('kept')
  })

  it('the platform makes compressed variants after a deployment goes live, and the edge serves them', async () => {
    const { token } = await server().account()
    const name = `z${Math.random().toString(36).slice(2, 12)}`
    await server().request('/projects', { method: 'POST', token, body: { name } })
    const text = 'compress me, please. '.repeat(500)
    await server().upload(token, name, archiveOf({ 'index.html': text }))
    const ask = () => server().site(name, '/', { headers: { 'accept-encoding': 'br' } })
    let answer = await ask()
    while (answer.headers['content-encoding'] !== 'br') {
      await new Promise(resolve => setTimeout(resolve, 50))
      answer = await ask()
    }
    const { brotliDecompressSync } = await import('node:zlib')
    expect(brotliDecompressSync(answer.body).toString()).toBe(text)
  })
})
