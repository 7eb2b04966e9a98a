#ifndef CATLASS_EPILOGUE_FUSION_FUSION_HPP
#define CATLASS_EPILOGUE_FUSION_FUSION_HPP

#include "catlass/epilogue/fusion/visitor_impl_base.hpp"
#include "catlass/epilogue/fusion/problem.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"
#include "catlass/epilogue/fusion/tile_plan.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/reduce.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_col_reduce.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_outputs.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_row_reduce.hpp"
#include "catlass/epilogue/fusion/visitor_scalar_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_scalar_reduce.hpp"
#include "catlass/epilogue/fusion/visitor_in_workspace.hpp"
#include "catlass/epilogue/fusion/phases.hpp"

#endif // CATLASS_EPILOGUE_FUSION_FUSION_HPP
