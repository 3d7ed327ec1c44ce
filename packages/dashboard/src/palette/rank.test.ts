import { expect, it } from 'vitest'
import { bestOf, rankOf } from './rank.ts'

it('the start of a name beats the start of a word, a part, and scattered letters', () => {
  const names = ['s-h-o-p', 'workshop', 'my-shop', 'shop-two', 'shop', 'blog']
  expect(bestOf(names, name => [name], 'shop')).toEqual([
    'shop',
    'shop-two',
    'my-shop',
    'workshop',
    's-h-o-p',
  ])
})

it('the best of several texts counts', () => {
  const deployments = [
    ['Say hello', 'dep_1', 'main'],
    ['Mend the main page', 'dep_2', 'next'],
  ]
  expect(bestOf(deployments, texts => texts, 'main')).toEqual(deployments)
  expect(bestOf(deployments, texts => texts, 'dep_2')).toEqual([deployments[1]])
})

it('nothing typed matches everything, in the order given', () => {
  expect(bestOf(['b', 'a'], name => [name], ' ')).toEqual(['b', 'a'])
})

it('capitals and spaces do not matter', () => {
  expect(rankOf('Access tokens', 'ACCESS')).toBe(1)
  expect(rankOf('Access tokens', 'a t')).toBe(4)
  expect(rankOf('Access tokens', 'zz')).toBeUndefined()
})
