// The visitor framework for Ascend950 (Catlass v1.6, EVG), all of it.
#ifndef CATLASS_EPILOGUE_FUSION_FUSION_HPP
#define CATLASS_EPILOGUE_FUSION_FUSION_HPP

#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"

#endif  // CATLASS_EPILOGUE_FUSION_FUSION_HPP
