import { expect, it } from 'vitest'
import { withVariable } from './with-variable.ts'

const variable = (key: string, value = '') => ({ key, value, scope: 'runtime' as const, updated_at: '' })

it('withVariable keeps the list sorted by code unit, and a key in it once', () => {
  const shown = [variable('B'), variable('a')]
  expect(withVariable(shown, variable('_')).map(({ key }) => key)).toEqual(['B', '_', 'a'])
  expect(withVariable(shown, variable('B', 'new'))).toEqual([variable('B', 'new'), variable('a')])
})
