/** As much as is used here of what chartist declares itself, in files that this module resolution does not find. */
declare module 'chartist' {
  type Series = { data: (number | null)[]; className: string };
  type Data = { labels: string[]; series: Series[] };
  type Axis = {
    offset?: number;
    labelOffset?: { x: number; y: number };
    scaleMinSpace?: number;
    labelInterpolationFnc?: (label: unknown, index: number) => string | null;
  };
  type Options = {
    height: number;
    axisX: Axis;
    axisY: Axis;
    chartPadding: { top: number; right: number; bottom: number; left: number };
    fullWidth?: boolean;
    lineSmooth?: boolean;
    horizontalBars?: boolean;
    seriesBarDistance?: number;
  };

  export class Svg {
    attr(attributes: Readonly<Record<string, string>>): this;
    getNode<Element extends SVGElement>(): Element;
    width(): number;
    height(): number;
  }

  class Chart {
    constructor(place: HTMLElement, data: Data, options: Options);
    on(event: 'created', listener: (drawn: { svg: Svg }) => void): this;
    detach(): this;
  }

  export class BarChart extends Chart {}
  export class LineChart extends Chart {}
}
