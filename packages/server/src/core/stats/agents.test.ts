import { expect, it } from 'vitest'
import { agentOf } from './agents.ts'

const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)'

it.each([
  [`${windows} ${blink} Safari/537.36`, 'Chrome, Desktop, Windows'],
  [`${windows} ${blink} Safari/537.36 Edg/140.0.0.0`, 'Edge, Desktop, Windows'],
  [`${windows} ${blink} Safari/537.36 OPR/120.0.0.0`, 'Opera, Desktop, Windows'],
  [
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Internet Explorer, Desktop, Windows',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Desktop, Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${blink} Safari/537.36`, 'Chrome, Desktop, ChromeOS'],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/18.5 Safari/605.1.15`,
    'Safari, Desktop, macOS',
  ],
  [`${iphone} ${webkit} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari, Mobile, iOS'],
  [`${iphone} ${webkit} Mobile/15E148`, 'Safari, Mobile, iOS'],
  [`${iphone} ${webkit} CriOS/140.0 Mobile/15E148 Safari/604.1`, 'Chrome, Mobile, iOS'],
  [`${iphone} ${webkit} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`, 'Firefox, Mobile, iOS'],
  [`${iphone} ${webkit} Mobile/15E148 Instagram 350.0.0.0`, 'Instagram, Mobile, iOS'],
  [
    `Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) ${webkit} Version/18.5 Mobile/15E148 Safari/604.1`,
    'Safari, Tablet, iOS',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${blink} Mobile Safari/537.36`, 'Chrome, Mobile, Android'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${blink} Safari/537.36`, 'Chrome, Tablet, Android'],
  [
    `Mozilla/5.0 (Linux; Android 10; K) SamsungBrowser/28.0 ${blink} Mobile Safari/537.36`,
    'Samsung Internet, Mobile, Android',
  ],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox, Mobile, Android'],
  ['Mozilla/5.0 (Android 15; Tablet; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox, Tablet, Android'],
  [`Mozilla/5.0 (Web0S; Linux/SmartTV) ${blink} Safari/537.36`, 'Chrome, TV, Linux'],
  ['something that nobody has heard of', 'Other, Other, Other'],
  ['', 'Other, Other, Other'],
])('%s is %s', (userAgent, expected) => {
  const { browser, device, system } = agentOf(userAgent)
  expect(`${browser}, ${device}, ${system}`).toBe(expected)
})
