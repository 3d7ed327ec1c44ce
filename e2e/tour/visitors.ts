// Visitors of the made-up sites: page views from several browsers and sources, errors, and messages in a form.
import { request } from 'node:http'

export interface Message {
  host: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Sends one request to a host of the platform, on machines that do not resolve names below `localhost`, too. */
export function sendTo(
  port: number,
  { host, path, method = 'GET', headers = {}, body }: Message,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { host, ...headers } }
    request(options, response => response.resume().on('end', resolve))
      .on('error', reject)
      .end(body)
  })
}

const browsers = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
]
const pages = ['/', '/', '/', '/menu.html', '/menu.html', '/about.html', '/wp-login.php', '/styles.css']
const sources = [
  '',
  'https://www.google.com/',
  'https://news.ycombinator.com/item?id=1',
  'https://lobste.rs/',
]

const messages = [
  { email: 'mary@example.org', message: 'Do you deliver to Utrecht? We would take two kilos a month.' },
  { email: 'blaise@example.net', message: 'The summer menu is lovely. Who did the drawings?' },
]

export async function visitors(port: number): Promise<void> {
  const host = `landing.localhost:${port}`
  for (let visit = 0; visit < 96; visit++) {
    const headers = {
      'user-agent': browsers[visit % browsers.length] ?? '',
      referer: sources[(visit >> 2) % sources.length] ?? '',
    }
    await sendTo(port, { host, path: pages[visit % pages.length] ?? '/', headers })
  }
  for (const message of messages)
    await sendTo(port, {
      host,
      path: '/_svc/forms/contact',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(message).toString(),
    })
  const shop = `shop.localhost:${port}`
  for (const path of ['/', '/cart', '/checkout', '/fail']) await sendTo(port, { host: shop, path })
}
