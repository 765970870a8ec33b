/** A bubbling event on an element from which another script has removed a node, so that the element may show the wrong text. */
export const nodeMissingEvent = 'node-missing';

/**
 * Extensions, translators and other scripts wrap, replace and remove nodes that React has rendered. When React later removes such a
 * node, or inserts another one before it, the browser would throw, and React would unmount the page. Instead, a moved node is
 * removed from where it is, and a new node is inserted before the element that now contains the moved one, or at the end.
 */
export function tolerateMovedNodes({ prototype } = Node): void {
  const { removeChild, insertBefore } = prototype;

  prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    if (child.parentNode === this) return removeChild.call(this, child) as Child;
    child.parentNode?.removeChild(child);
    reportMissing(this);
    return child;
  };

  prototype.insertBefore = function <Child extends Node>(this: Node, child: Child, next: Node | null): Child {
    if (!next || next.parentNode === this) return insertBefore.call(this, child, next) as Child;
    reportMissing(this);
    return insertBefore.call(this, child, childAround(next, this)) as Child;
  };
}

export function reportMissing(parent: Node): void {
  parent.dispatchEvent(new Event(nodeMissingEvent, { bubbles: true }));
}

/** Returns the child of `parent` that contains `node`, or null if there is none. */
function childAround(node: Node, parent: Node): Node | null {
  let child: Node | null = node;
  while (child !== null && child.parentNode !== parent) child = child.parentNode;
  return child;
}
