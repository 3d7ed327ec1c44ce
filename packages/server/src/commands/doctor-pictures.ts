// The check of svcd doctor for pictures: makes one of a page of its own.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { picturesBy } from '../compose/platform.ts'
import type { Settings } from '../config.ts'
import { chromiumVersion } from '../ports/site-picture/chromium.ts'

export async function checkPictures(settings: Settings): Promise<string> {
  const { chromium } = settings
  if (chromium === undefined) return 'not used (SVCD_CHROMIUM)'
  const server = createServer((_req, res) => res.end('<!doctype html><h1>svcd doctor</h1>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const take = picturesBy(settings, () => url)
    await take?.({ projectId: 'doctor', project: 'doctor' }, new AbortController().signal)
    return `${await chromiumVersion(chromium)} makes pictures`
  } catch (error) {
    throw new Error(`${chromium} makes no pictures: ${(error as Error).message}. ${advice}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const advice =
  'Check the path in SVCD_CHROMIUM. If the sandbox of Chromium does not work here, allow user namespaces, or set SVCD_UNSANDBOXED_APPS=1 if you trust every site'
