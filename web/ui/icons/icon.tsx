/**
 * The icons of the web: outlines of Lucide 1.75 (https://lucide.dev), each as one path. The package has 51 MB, most of which is
 * other icons. Their license is in LICENSE.
 */
import type { SVGProps } from 'react'

/** A component that draws this path, in the color and size of the text beside it unless stated. */
export const icon = (d: string) => (props: SVGProps<SVGSVGElement>) => (
  <svg
    aria-hidden="true"
    xmlns="http://www.w3.org/2000/svg"
    width="24"
    height="24"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    {...props}
  >
    <path d={d} />
  </svg>
)

export type Icon = ReturnType<typeof icon>
