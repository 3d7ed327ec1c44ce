import type { EnvVar } from '@svc/contract'
import { expect, it } from 'vitest'
import { variableName, withVariable } from './with-variable.ts'

const variable = (key: string, value = '', branch: string | null = null): EnvVar => ({
  ...{ key, value, branch, scope: 'runtime', secret: false, updated_at: '' },
  environments: branch === null ? ['production', 'preview'] : ['preview'],
})

it('withVariable keeps the list sorted by code unit, and a key in it once', () => {
  const shown = [variable('B'), variable('a')]
  expect(withVariable(shown, variable('_')).map(({ key }) => key)).toEqual(['B', '_', 'a'])
  expect(withVariable(shown, variable('B', 'new'))).toEqual([variable('B', 'new'), variable('a')])
})

it('withVariable keeps the variables of other branches', () => {
  const shown = withVariable([variable('B'), variable('B', '1', 'next')], variable('B', '2', 'a'))
  expect(shown.map(variableName)).toEqual(['B', 'B (branch a)', 'B (branch next)'])
})
