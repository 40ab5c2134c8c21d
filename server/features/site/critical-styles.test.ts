import { expect, test } from 'vitest'
import { criticalStyles } from './critical-styles.ts'

const page = '<p class="a md:flex w-1/2 [&amp;&gt;svg]:size-4"><b class="b"></b></p>'

test.each([
  ['.a{color:red}', 'a class of the page'],
  ['.a .b:hover{color:red}', 'two classes of the page'],
  ['p,.gone{color:red}', 'one of several selectors'],
  ['.a:not(.gone){color:red}', 'text in brackets is ignored'],
  ['.md\\:flex{display:flex}', 'an escaped colon'],
  ['.w-1\\/2{width:50%}', 'an escaped slash'],
  ['.\\[\\&\\>svg\\]\\:size-4>svg{width:1rem}', 'a class that HTML escapes'],
  ['a[href="a}.gone{"]{color:red}', 'marks in a string'],
  ['.a{color:red;& .gone{color:blue}}', 'the whole of a kept rule'],
  ['@font-face{font-family:x;src:url(y)}', 'a definition'],
  ['@layer base,utilities;', 'the order of layers'],
  ['@layer base{html{color:red}}', 'a layer with a rule that is used'],
])('%s stays: %s', (css) => {
  expect(criticalStyles(css, page)).toBe(css)
})

test.each([
  ['.gone{color:red}', 'a class that the page lacks'],
  ['.a .gone{color:red}', 'one of two classes is lacking'],
  ['.a.gone,.gone b{color:red}', 'every selector lacks a class'],
  ['@media print{.gone{color:red}}', 'a group that ends up empty'],
  ['@layer x{@media print{.gone{color:red}}}', 'groups within groups'],
  ['/* .a{} */', 'a comment'],
])('%s goes: %s', (css) => {
  expect(criticalStyles(css, page)).toBe('')
})
