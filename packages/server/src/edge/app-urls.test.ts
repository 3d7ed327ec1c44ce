import { expect, test } from 'vitest'
import { type AppUrl, AppUrls } from './app-urls.ts'

const url = (path: string, query = ''): AppUrl => ({
  host: 'shop.example.test',
  proto: 'http',
  target: { path, written: path, query },
  cacheKey: path,
})

test('a URL is found by its path, and only at its own host and scheme', () => {
  const urls = new AppUrls()
  const kept = url('/a%20b')
  urls.keep(kept)
  expect(urls.find('/a%20b', 'shop.example.test', 'http')).toBe(kept)
  expect(urls.find('/a%20b', 'SHOP.example.test', 'http')).toBe(undefined)
  expect(urls.find('/a%20b', 'shop.example.test', 'https')).toBe(undefined)
  expect(urls.find('/a b', 'shop.example.test', 'http')).toBe(undefined)
})

test('URLs with a query and long ones are not kept', () => {
  const urls = new AppUrls()
  for (const one of [url('/', '?a'), url(`/${'x'.repeat(500)}`)]) urls.keep(one)
  for (const path of ['/', '/?a', `/${'x'.repeat(500)}`])
    expect(urls.find(path, 'shop.example.test', 'http')).toBe(undefined)
})

test('a client that requests many paths does not make the memory grow', () => {
  const urls = new AppUrls()
  const paths = Array.from({ length: 1_000 }, (_, i) => `/${i}`)
  for (const path of paths) urls.keep(url(path))
  const kept = paths.filter(path => urls.find(path, 'shop.example.test', 'http'))
  expect(kept.length).toBeLessThanOrEqual(100)
  expect(kept).toContain('/999')
})
