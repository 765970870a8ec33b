import { Svg } from 'chartist';

/*
 * Chartist writes the few styles that its drawing needs as `style` attributes, which the page's policy refuses: they are set
 * on the elements. Who imports this module has that done, once.
 */

const { attr } = Svg.prototype;

Object.assign(Svg.prototype, {
  attr(this: Svg, attributes: unknown, namespace?: string): unknown {
    if (typeof attributes !== 'object' || attributes === null || !('style' in attributes)) {
      return Reflect.apply(attr, this, [attributes, namespace]);
    }
    const { style, ...others } = attributes;
    this.getNode<SVGElement>().style.cssText = String(style);
    return Reflect.apply(attr, this, [others, namespace]);
  },
});
