/** As much as is used here of what chartist declares itself, in files that this module resolution does not find. */
declare module 'chartist' {
  type Data = { labels: string[]; series: (number | null)[][] };
  type Axis = {
    offset?: number;
    labelInterpolationFnc?: (label: unknown, index: number) => string | null;
  };
  type Options = {
    height: number;
    axisX: Axis;
    axisY: Axis;
    lineSmooth?: boolean;
    horizontalBars?: boolean;
    reverseData?: boolean;
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
