// Pages of a server app that the edge keeps are fetched again when the dashboard says so.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({})

const app = `
let count = 0
require('node:http').createServer((req, res) => {
  res.writeHead(200, { 'cache-control': 'public, s-maxage=3600', 'content-type': 'text/html' })
  // Browsers ask for an icon as well.
  res.end('<h1>answer ' + (req.url === '/blog' ? ++count : count) + '</h1>')
}).listen(process.env.PORT, process.env.HOSTNAME)
`

it('the dashboard evicts pages of a server app from the cache', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const files = { Procfile: 'web: node app.cjs\n', 'app.cjs': app }
  await dashboard.platform.deploy(person.token, name, files)
  const visitor = await dashboard.open(`${url}/blog`)
  await visitor.getByRole('heading', { name: 'answer 1' }).waitFor()
  await visitor.reload()
  await visitor.getByRole('heading', { name: 'answer 1' }).waitFor()

  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('button', { name: 'Revalidate pages' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Paths, one a line').fill('blog')
  await dialog.getByText('A path begins with a slash: /blog').waitFor()
  await dialog.getByLabel('Paths, one a line').fill('/blog\n/about\n')
  await dialog.getByRole('button', { name: 'Revalidate' }).click()
  await page.getByText('2 paths will be fetched again; 1 stored answer dropped.').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await visitor.reload()
  await visitor.getByRole('heading', { name: 'answer 2' }).waitFor()
})
