import { type ComponentChildren, options, type VNode } from 'preact';
import { balanced } from '../../words/direction.ts';

/** Has the marks in a `bdi` end with it: browsers let them end it early, or last behind it. */
export function startIsolation(): void {
  const { vnode: next } = options;
  options.vnode = (vnode: VNode<{ children?: ComponentChildren }>) => {
    if (vnode.type === 'bdi') vnode.props.children = balancedIn(vnode.props.children);
    next?.(vnode);
  };
}

function balancedIn(children: ComponentChildren): ComponentChildren {
  if (Array.isArray(children)) return children.map(balancedIn);
  return typeof children === 'string' ? balanced(children) : children;
}
