/** Invented facts as a table, a diagram, a formula, code and a list. */
export const formatExamples = `These facts are invented; they show how the page displays each format.

## Table and chart

| Region | Revenue 2024 (€k) | Revenue 2025 (€k) | Growth |
|---|---:|---:|---:|
| North | 1,240 | 1,364 | 10% |
| South | 980 | 931 | −5% |
| West | 1,510 | 1,782 | 18% |
| **Total** | 3,730 | 4,077 | 9% |

## Diagram

~~~mermaid
flowchart LR
  H[Hypothesis] --> T{Tested?}
  T -- yes --> F[Finding]
  T -- no --> U[Unknown]
  U --> I[Interview] --> T
~~~

## Formula

$$
\\text{growth} = \\frac{\\text{revenue}_{2025} - \\text{revenue}_{2024}}{\\text{revenue}_{2024}}
$$

## Code

~~~sql
select region, sum(revenue) as revenue
from sales
where year = 2025
group by region
order by revenue desc;
~~~

## List

1. Interview two customers per region.
   - [x] North
   - [ ] South
2. Compare the answers with the hypotheses.`;
