// Visitors who send several requests at once and leave before they are answered.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTestApp } from './testapp.ts'

test.each([
  ['that wait for the app', '/wait'],
  ['of which one is being answered', '/begin'],
])('requests %s are over for all of them', async (_, first) => {
  const open = new Set<string>()
  const bed = await startTestApp((req, res) => {
    open.add(req.url!)
    res.once('close', () => open.delete(req.url!))
    if (req.url === '/begin') res.write('begun')
  })
  try {
    const visitor = connect(bed.port, '127.0.0.1')
    for (const path of [first, '/second', '/third'])
      visitor.write(`GET ${path} HTTP/1.1\r\nHost: shop.example.test\r\n\r\n`)
    await eventually(async () => open.size === 3)
    expect(bed.apps.underWay).toBe(3)
    visitor.destroy()
    await eventually(async () => open.size === 0 && bed.apps.underWay === 0)
  } finally {
    await bed.stop()
  }
})
